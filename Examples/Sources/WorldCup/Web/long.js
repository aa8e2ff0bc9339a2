// SPDX-License-Identifier: Apache-2.0

import { LongList } from "./longlist.js";

const part = id => document.getElementById(id);
const list = new LongList(part("list"), ask);
window.list = list;  // For the console.
let launch = null, sequence = -1, loading = false, rounds = [], answers = [], heard = 0;

// MARK: - What the server tells

const events = new EventSource("events");
events.addEventListener("hello", event => {
  const hello = JSON.parse(event.data);
  setLive(true);
  if (hello.launch !== launch || hello.sequence !== sequence) load();
});
events.addEventListener("round", event => {
  rounds.push(JSON.parse(event.data));
  if (!loading) receive();
});
events.addEventListener("reset", () => load());
events.addEventListener("error", () => setLive(false));

// How long the list is; its rows come when they are scrolled to.
async function load() {
  if (loading) return;
  loading = true;
  try {
    const outline = await (await fetch("outline")).json();
    ({ launch, sequence } = outline);
    answers = [];
    list.load(outline.sections);
  } catch {
    setTimeout(load, 500);
  } finally {
    loading = false;
  }
  receive();
}

function receive() {
  for (const round of rounds.splice(0)) {
    if (round.sequence <= sequence) continue;
    if (round.sequence > sequence + 1) return load();
    sequence = round.sequence;
    heard += round.changes.length;
    list.apply(round.changes);
    answers = answers.filter(answer => !take(answer));
  }
  part("summary").textContent =
    `${list.count.toLocaleString("en")} teams in ${list.sections.length} zones ·`;
  part("heard").textContent = heard ? `${heard.toLocaleString("en")} changes` : "";
}

// MARK: - What the list asks

async function ask(section, from, count) {
  const asker = launch;
  try {
    const answer = await (await fetch(`rows?section=${section}&from=${from}&count=${count}`)).json();
    if (asker === launch && !take({ ...answer, section, from })) answers.push({ ...answer, section, from });
  } catch {
    setTimeout(() => list.forget(section, from), 500);
  }
}

// Answers and rounds come on two ways: rows count in the list as it is after the round they name. Those
// of a round that is still to come wait for it; those of an earlier one are asked for again.
function take({ sequence: round, section, from, rows }) {
  if (round > sequence) return false;
  if (round === sequence) list.fill(section, from, rows);
  list.forget(section, from);
  return true;
}

// MARK: - What the reader does

part("rush").addEventListener("click", async () => {
  part("rush").disabled = true;
  await fetch("rush", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ changesPerSecond: 1000, seconds: 60 }),
  }).catch(() => {});
  part("rush").disabled = false;
});

function setLive(live) {
  part("link").textContent = live ? "live" : "connecting";
  part("link").classList.toggle("live", live);
}
