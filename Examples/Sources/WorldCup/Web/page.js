// SPDX-License-Identifier: Apache-2.0

import { List } from "./list.js";

const part = id => document.getElementById(id);
const list = new List(part("list"));
let launch = null, sequence = -1, loading = false, waiting = [];

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
  list.apply(round.changes);
  announce(round.changes);
  summarise();
  if (round.changes.some(change => change.kind.endsWith("Section"))) loadIndex();
}

async function load() {
  if (loading) return;
  loading = true;
  try {
    const state = await (await fetch("state")).json();
    ({ launch, sequence } = state);
    list.load(state.sections);
    summarise();
    if (document.activeElement !== part("search")) part("search").value = state.search;
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
part("pull").addEventListener("click", () => send("POST", "pull"));

part("list").addEventListener("click", event => {
  const button = event.target.closest("button");
  const id = button?.closest("li")?.dataset.id;
  if (!id) return;
  if (button.matches(".win")) send("POST", `teams/${id}/win`);
  else send("DELETE", `teams/${id}`);
});

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
  const refusal = await send("POST", "teams", Object.fromEntries(new FormData(form)));
  part("refusal").textContent = refusal ?? "";
  if (!refusal) dialog.close();
});

// Nothing when it was done, else the reason why not. The change itself comes as an event.
async function send(method, path, body) {
  try {
    const response = await fetch(path, {
      method,
      headers: body ? { "content-type": "application/json" } : {},
      body: body && JSON.stringify(body),
    });
    if (response.ok) return;
    const reason = (await response.json().catch(() => ({}))).error ?? "The server refused.";
    part("news").textContent = reason;
    return reason;
  } catch {
    setLive(false);
    return "The server does not answer.";
  }
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
}

function announce(changes) {
  if (changes.length > 20) {
    part("news").textContent = `${changes.length} changes.`;
    return;
  }
  const lines = changes.map(({ kind, row, to, name }) => {
    switch (kind) {
    case "insertSection": return `New zone ${name}.`;
    case "insertRow": return `${row.name} joins.`;
    case "deleteRow": return "A team leaves.";
    case "moveRow": return `${row.name}, ${count(row.wins, "win")}, now number ${to.row + 1}.`;
    case "updateRow": return `${row.name}, ${count(row.wins, "win")}.`;
    }
  });
  part("news").textContent = lines.filter(Boolean).join(" ");
}

function count(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
