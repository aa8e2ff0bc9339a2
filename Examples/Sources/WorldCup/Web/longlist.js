// SPDX-License-Identifier: Apache-2.0

// A table view of very many rows: it knows how many there are, keeps those that it was given, and
// has only those on the screen in the document.

import { drawFlag } from "./flags.js";

const rowHeight = 40, titleHeight = 44, batch = 100, margin = 400;
const digits = new Intl.NumberFormat("en");
const template = id => document.getElementById(id).content.firstElementChild;

export class LongList {
  // `ask(section, from, count)` is called for rows that are to be shown and not there.
  constructor(element, ask) {
    this.element = element;
    this.ask = ask;
    this.canvas = element.appendChild(document.createElement("div"));
    this.canvas.className = "canvas";
    this.pools = { row: [], section: [] };
    this.load([]);
    element.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(element);
  }

  get count() { return this.sections.reduce((sum, section) => sum + section.rows.length, 0); }

  // The sections of a list of which no row is known yet.
  load(sections) {
    this.sections = sections.map(({ name, count }) => ({ name, rows: Array(count).fill(null) }));
    this.asked = new Set();
    this.draw();
  }

  // Rows of a section from `from` on.
  fill(section, from, rows) {
    rows.forEach((row, index) => { this.sections[section].rows[from + index] = row; });
    this.draw();
  }

  // An answer came, of use or not: what is still missing may be asked for again.
  forget(section, from) {
    this.asked.delete(`${section} ${from}`);
    this.draw();
  }

  // One round, by UITableView's rules: what goes or is updated counts in the old list, what arrives
  // in the new one.
  apply(changes) {
    const by = (a, b) => a.section - b.section || a.row - b.row;
    const going = [], coming = [];
    for (const { kind, from, to, row } of changes) {
      if (kind === "updateRow") this.sections[from.section].rows[from.row] = row;
      if (kind === "deleteRow" || kind === "moveRow") going.push(from);
      if (kind === "insertRow" || kind === "moveRow") coming.push({ ...to, team: row });
    }
    for (const { section, row } of going.sort(by).reverse()) this.sections[section].rows.splice(row, 1);
    const sections = kind => changes.filter(change => change.kind === kind);
    for (const { section } of sections("deleteSection").sort((a, b) => b.section - a.section)) {
      this.sections.splice(section, 1);
    }
    for (const { section, name } of sections("insertSection").sort((a, b) => a.section - b.section)) {
      this.sections.splice(section, 0, { name, rows: [] });
    }
    for (const { section, row, team } of coming.sort(by)) this.sections[section].rows.splice(row, 0, team);
    this.draw();
  }

  // Once for everything that happens until the next frame.
  draw() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.drawNow();
    });
  }

  drawNow() {
    const top = this.element.scrollTop - margin;
    const bottom = this.element.scrollTop + this.element.clientHeight + margin;
    const used = { row: 0, section: 0 };
    let y = 0;
    this.sections.forEach(({ name, rows }, section) => {
      const start = y + titleHeight, end = start + rows.length * rowHeight;
      if (start > top && y < bottom) this.show("section", used, y, titleHeight).textContent = name;
      const first = Math.max(0, Math.floor((top - start) / rowHeight));
      const last = Math.min(rows.length, Math.ceil((bottom - start) / rowHeight));
      for (let row = first; row < last; row++) {
        this.configure(this.show("row", used, start + row * rowHeight, rowHeight), row, rows[row]);
        if (!rows[row]) this.want(section, row - row % batch);
      }
      y = end;
    });
    this.canvas.style.height = `${y}px`;
    for (const kind of ["row", "section"]) {
      this.pools[kind].splice(used[kind]).forEach(element => element.remove());
    }
  }

  // The next element of the pool, at its place.
  show(kind, used, y, height) {
    const pool = this.pools[kind];
    const element = pool[used[kind]]
      ?? (pool[used[kind]] = this.canvas.appendChild(template(`${kind}-template`).cloneNode(true)));
    used[kind]++;
    element.style.transform = `translateY(${y}px)`;
    element.style.height = `${height}px`;
    return element;
  }

  configure(element, row, team) {
    const [place, flag, name, wins] = element.children;
    element.classList.toggle("unread", !team);
    place.textContent = digits.format(row + 1);
    if (flag.dataset.shown !== (team?.flag ?? "")) {
      flag.dataset.shown = team?.flag ?? "";
      flag.replaceChildren(...team ? [drawFlag(team.flag)] : []);
    }
    name.textContent = team?.name ?? "";
    wins.textContent = team ? `${team.wins} ${team.wins === 1 ? "win" : "wins"}` : "";
    wins.classList.toggle("some", team?.wins > 0);
  }

  want(section, from) {
    const key = `${section} ${from}`;
    if (this.asked.has(key)) return;
    this.asked.add(key);
    this.ask(section, from, batch);
  }
}
