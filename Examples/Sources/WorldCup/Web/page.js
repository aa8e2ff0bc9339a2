// SPDX-License-Identifier: Apache-2.0

import { List } from "./list.js";

const part = id => document.getElementById(id);
const list = new List(part("list"));
// More teams than this are not shown on this page, because each of them is an element.
const limit = 1000;
let launch = null, sequence = -1, loading = false, waiting = [], search = "", isLarge = false;

// MARK: - What the server tells

const events = new EventSource("events");
events.addEventListener("hello", async event => {
  const hello = JSON.parse(event.data);
  if (hello.launch !== launch || hello.sequence !== sequence) await load();
  setLive(true);
});
events.addEventListener("round", event => {
  const round = JSON.parse(event.data);
  if (loading) waiting.push(round); else receive(round);
});
events.addEventListener("reset", () => load());
events.addEventListener("error", () => setLive(false));

function receive(round) {
  if (round.sequence <= sequence) return;
  if (round.sequence > sequence + 1) return load();
  sequence = round.sequence;
  if (isLarge) return;
  announce(round.changes);
  list.apply(round.changes);
  summarise();
  if (round.changes.some(change => change.kind.endsWith("Section"))) loadIndex();
}

async function load() {
  if (loading) return;
  loading = true;
  try {
    const outline = await (await fetch("outline")).json();
    const teams = outline.sections.reduce((sum, section) => sum + section.count, 0);
    isLarge = teams > limit;
    const state = isLarge ? { ...outline, sections: [] } : await (await fetch("state")).json();
    ({ launch, sequence } = state);
    search = state.search ?? "";
    list.load(state.sections);
    summarise();
    part("large").hidden = !isLarge;
    part("index").hidden = isLarge;
    part("hint").hidden = isLarge;
    if (isLarge) {
      part("summary").textContent = `${teams.toLocaleString("en")} teams ·`;
      part("large").querySelector("p").textContent =
        `This page shows up to ${limit.toLocaleString("en")} teams; the store has ${teams.toLocaleString("en")}.`;
      return;
    }
    if (document.activeElement !== part("search")) part("search").value = search;
    loadIndex();
  } catch {
    setTimeout(load, 500);
  } finally {
    loading = false;
  }
  const rounds = waiting;
  waiting = [];
  rounds.forEach(receive);
}

// A letter for each section; a click leads to it.
async function loadIndex() {
  const entries = await (await fetch("index")).json();
  part("index").replaceChildren(...entries.map(({ title, section }) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = title;
    button.addEventListener("click", () => {
      list.sections[section]?.scrollIntoView({ behavior: "smooth" });
    });
    return button;
  }));
}

// MARK: - What the reader does

let typing;
part("search").addEventListener("input", event => {
  clearTimeout(typing);
  typing = setTimeout(() => send("POST", "search", { text: event.target.value }), 150);
});
part("empty").querySelector("button").addEventListener("click", () => {
  part("search").value = "";
  part("search").focus();
  send("POST", "search", { text: "" });
});
part("pull").addEventListener("click", () => send("POST", "pull"));

part("list").addEventListener("click", event => {
  const button = event.target.closest("button");
  const id = button?.closest("li")?.dataset.id;
  if (!id) return;
  if (button.matches(".win")) send("POST", `teams/${id}/win`);
  else remove(id, button.closest("li").querySelector(".name").textContent);
});

async function remove(id, name) {
  if (await send("DELETE", `teams/${id}`)) return;
  notify(`${name} was removed.`, "Undo", () => send("POST", `teams/${id}/restore`));
}

const dialog = part("underdog"), form = dialog.querySelector("form");
part("add").addEventListener("click", () => {
  form.reset();
  part("refusal").textContent = "";
  part("zones").replaceChildren(...list.sections.map(section => {
    return new Option(section.querySelector("h2").textContent);
  }));
  dialog.showModal();
});
form.querySelector("[value=cancel]").addEventListener("click", () => dialog.close());
form.addEventListener("submit", async event => {
  event.preventDefault();
  // A second click while the first one is being answered would add the team again.
  const button = form.querySelector("[type=submit]");
  if (button.disabled) return;
  button.disabled = true;
  const refusal = await send("POST", "teams", Object.fromEntries(new FormData(form)));
  button.disabled = false;
  part("refusal").textContent = refusal ?? "";
  if (!refusal) dialog.close();
});

// Returns nothing if the edit was saved, otherwise the reason. The change itself comes as an event.
async function send(method, path, body) {
  try {
    const response = await fetch(path, {
      method,
      headers: body ? { "content-type": "application/json" } : {},
      body: body && JSON.stringify(body),
    });
    if (response.ok) {
      part("notice").hidden = true;
      return;
    }
    const reason = (await response.json().catch(() => ({}))).error ?? "The server refused the request.";
    if (!dialog.open) notify(reason);
    return reason;
  } catch {
    setLive(false);
    const reason = "The server does not answer, so nothing was saved.";
    if (!dialog.open) notify(reason, "Try again", () => send(method, path, body));
    return reason;
  }
}

// Shows a message until the next one, with a button for what can be done about it.
function notify(text, title, act) {
  const [label, button] = part("notice").children;
  label.textContent = text;
  button.hidden = !title;
  button.textContent = title ?? "";
  button.onclick = () => {
    part("notice").hidden = true;
    act();
  };
  part("notice").hidden = false;
}

// MARK: - What stands around the list

function setLive(live) {
  part("link").textContent = live ? "live" : "connecting";
  part("link").classList.toggle("live", live);
}

function summarise() {
  const sections = list.sections;
  const teams = sections.reduce((sum, section) => sum + list.rows(section).length, 0);
  part("summary").textContent = `${count(teams, "team")} in ${count(sections.length, "zone")} ·`;
  part("empty").hidden = teams > 0 || isLarge || !search;
  part("empty").querySelector("p").textContent = `No team and no zone contains “${search}”.`;
}

function announce(changes) {
  if (changes.length > 20) {
    part("news").textContent = `${changes.length} changes.`;
    return;
  }
  const lines = changes.map(({ kind, row, from, to, name }) => {
    switch (kind) {
    case "insertSection": return `New zone ${name}.`;
    case "insertRow": return `${row.name} joins.`;
    case "deleteRow": return `${list.nameAt(from)} leaves.`;
    case "moveRow": return `${row.name}, ${count(row.wins, "win")}, now number ${to.row + 1}.`;
    case "updateRow": return `${row.name}, ${count(row.wins, "win")}.`;
    }
  });
  part("news").textContent = lines.filter(Boolean).join(" ");
}

function count(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
