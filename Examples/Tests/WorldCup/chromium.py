# SPDX-License-Identifier: Apache-2.0
"""Drives a headless Chromium over the DevTools protocol, with nothing but Python's own library."""

import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time


def find():
    """The path of a Chromium, or None."""
    names = [os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"]
    return next((path for path in (shutil.which(name) for name in names if name) if path), None)


class WebSocket:
    """The client side of RFC 6455, as far as DevTools needs it."""

    def __init__(self, port, path):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ).encode())
        self.stream = self.socket.makefile("rb")
        if b" 101 " not in self.stream.readline():
            raise ConnectionError("Chromium refused the DevTools connection")
        while self.stream.readline().strip():
            pass

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        if size < 126:
            head = struct.pack("!BB", 0x81, 0x80 | size)
        elif size < 65536:
            head = struct.pack("!BBH", 0x81, 0x80 | 126, size)
        else:
            head = struct.pack("!BBQ", 0x81, 0x80 | 127, size)
        body = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))
        self.socket.sendall(head + mask + body)

    def receive(self):
        text = b""
        while True:
            first, size = self.stream.read(2)
            size &= 0x7F
            if size == 126:
                size, = struct.unpack("!H", self.stream.read(2))
            elif size == 127:
                size, = struct.unpack("!Q", self.stream.read(8))
            payload = self.stream.read(size)
            if first & 0x0F in (0, 1):
                text += payload
                if first & 0x80:
                    return text.decode()

    def close(self):
        self.stream.close()
        self.socket.close()


class Chromium:
    """One browser process; `open` gives windows of it."""

    def __init__(self, path):
        self.profile = tempfile.mkdtemp(prefix="worldcup-browser-")
        arguments = [
            path, "--headless=new", "--remote-debugging-port=0", "--disable-gpu", "--no-first-run",
            "--hide-scrollbars", "--disable-dev-shm-usage", f"--user-data-dir={self.profile}",
        ]
        if os.geteuid() == 0:  # Chromium's sandbox does not work for root.
            arguments.append("--no-sandbox")
        self.process = subprocess.Popen(
            arguments + ["about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port, path = self._address()
        self.web_socket = WebSocket(port, path)
        self.count = 0
        self.problems = []

    def _address(self):
        file = os.path.join(self.profile, "DevToolsActivePort")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with open(file) as lines:
                    port, path = lines.read().split("\n")
                return int(port), path
            except (FileNotFoundError, ValueError):
                time.sleep(0.05)
        raise RuntimeError("Chromium did not start")

    def call(self, method, session=None, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self.web_socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.web_socket.receive())
            if answer.get("method") == "Runtime.exceptionThrown":
                details = answer["params"]["exceptionDetails"]
                self.problems.append(details.get("exception", {}).get("description", str(details)))
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def open(self, url, width=1280, height=900):
        target = self.call(
            "Target.createTarget", url="about:blank", newWindow=True, width=width, height=height)
        session = self.call(
            "Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        window = Window(self, target["targetId"], session)
        window.call("Page.enable")
        window.call("Runtime.enable")
        window.size(width, height)
        window.call("Page.navigate", url=url)
        return window

    def close(self):
        self.web_socket.close()
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


class Window:
    def __init__(self, browser, target, session):
        self.browser, self.target, self.session = browser, target, session

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def run(self, script):
        """The JSON value of a JavaScript expression; promises are awaited."""
        result = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, condition, seconds=10):
        """Waits in the page until the JavaScript condition holds."""
        held = self.run(f"""new Promise(done => {{
            const end = performance.now() + {seconds * 1000};
            const look = () => ({condition}) ? done(true)
                : performance.now() > end ? done(false) : setTimeout(look, 5);
            look();
        }})""")
        if not held:
            raise AssertionError(f"did not happen within {seconds} s: {condition}")

    def settle(self):
        """Waits until every animation has come to its end."""
        self.run("Promise.allSettled(document.getAnimations().map(moving => moving.finished))")

    def click(self, selector):
        """A real click of the mouse on the middle of the first match, once it stands still."""
        self.settle()
        x, y = self.run(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            element.scrollIntoView({{ block: "center", behavior: "instant" }});
            const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            self.call(
                "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def size(self, width, height):
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height,
            deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": name}])

    def screenshot(self, path, whole=False):
        self.settle()
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
