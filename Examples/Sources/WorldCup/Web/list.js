// SPDX-License-Identifier: Apache-2.0

// The table view: sections and rows, known by their index paths only.

import { drawFlag } from "./flags.js";

const template = id => document.getElementById(id).content.firstElementChild;
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const timing = { duration: 380, easing: "cubic-bezier(.2, .8, .2, 1)", id: "list" };

export class List {
  constructor(element) {
    this.element = element;
  }

  get sections() { return [...this.element.querySelectorAll(":scope > section")]; }
  rows(section) { return [...section.querySelectorAll(":scope > ol > li:not(.leaving)")]; }

  // Shows a whole state: at the start, or when something was missed.
  load(sections) {
    this.element.replaceChildren(...sections.map(({ name, rows }) => {
      const section = this.makeSection(name);
      section.querySelector("ol").append(...rows.map(row => this.makeRow(row)));
      return section;
    }));
  }

  // One round, by UITableView's rules: what goes or is updated counts in the old list, what
  // arrives in the new one. Only the rows and sections of the round are touched.
  apply(changes) {
    const before = this.measure();
    const sections = this.sections;
    const rows = sections.map(section => this.rows(section));
    const rowAt = place => rows[place.section][place.row];

    const leaving = [], arriving = [], travelling = [], goneSections = [], newSections = [];
    for (const change of changes) {
      switch (change.kind) {
      case "deleteSection": goneSections.push(sections[change.section]); break;
      case "insertSection": newSections.push(change); break;
      case "deleteRow": leaving.push(rowAt(change.from)); break;
      case "insertRow": arriving.push({ to: change.to, row: this.makeRow(change.row) }); break;
      case "updateRow": this.configure(rowAt(change.from), change.row); break;
      case "moveRow": {
        const row = rowAt(change.from);
        this.configure(row, change.row);
        travelling.push(row);
        arriving.push({ to: change.to, row });
        break;
      }
      }
    }

    const focused = document.activeElement;
    const heir = this.heir(focused, rows.flat(), leaving);
    for (const row of [...leaving, ...travelling]) row.remove();
    for (const section of goneSections) section.remove();
    for (const { section: at, name } of newSections.sort((a, b) => a.section - b.section)) {
      this.element.insertBefore(this.makeSection(name), this.sections[at] ?? null);
    }
    const now = this.sections;
    const order = (a, b) => a.to.section - b.to.section || a.to.row - b.to.row;
    for (const { to, row } of arriving.sort(order)) {
      const section = now[to.section];
      section.querySelector("ol").insertBefore(row, this.rows(section)[to.row] ?? null);
    }
    // A row that moves takes the keyboard along.
    if (focused?.isConnected && focused !== document.activeElement) {
      focused.focus({ preventScroll: true });
    }
    heir?.focus({ preventScroll: true });
    if (!calm.matches) this.animate(before, leaving, travelling);
  }

  // The control that gets the keyboard when the row of the focused one leaves: the same one of the next row.
  heir(focused, rows, leaving) {
    const row = focused?.closest("li");
    if (!row || !leaving.includes(row)) return null;
    const at = rows.indexOf(row), stays = other => !leaving.includes(other);
    const next = rows.slice(at).find(stays) ?? rows.slice(0, at).findLast(stays);
    return next?.querySelector(focused.matches(".remove") ? ".remove" : ".win");
  }

  // The name in a row of the list as it is shown.
  nameAt({ section, row }) {
    return this.rows(this.sections[section])[row].querySelector(".name").textContent;
  }

  makeSection(name) {
    const section = template("section-template").cloneNode(true);
    section.querySelector("h2").textContent = name;
    section.setAttribute("aria-label", name);
    return section;
  }

  makeRow(row) {
    return this.configure(template("row-template").cloneNode(true), row);
  }

  configure(element, { id, name, flag, wins }) {
    const count = `${wins} ${wins === 1 ? "win" : "wins"}`;
    element.dataset.id = id;
    element.querySelector(".flag").replaceChildren(drawFlag(flag));
    element.querySelector(".name").textContent = name;
    element.querySelector(".wins b").textContent = wins;
    element.querySelector(".wins i").textContent = wins === 1 ? "win" : "wins";
    element.querySelector(".wins").classList.toggle("some", wins > 0);
    element.querySelector(".win").setAttribute("aria-label", `${name}, ${count}. Add a win`);
    element.querySelector(".remove").setAttribute("aria-label", `Remove ${name}`);
    return element;
  }

  // Where everything is on the screen now, in the middle of earlier animations too.
  measure() {
    const places = new Map();
    for (const section of this.sections) {
      places.set(section, section.getBoundingClientRect());
      for (const row of this.rows(section)) places.set(row, row.getBoundingClientRect());
    }
    return places;
  }

  // Everything starts where it was and glides to where it is.
  animate(before, leaving, travelling) {
    const stop = element => element.getAnimations()
      .filter(animation => animation.id === timing.id).forEach(animation => animation.cancel());
    this.element.querySelectorAll("section, li").forEach(stop);
    const after = this.measure();
    const shift = element => {
      const old = before.get(element), now = after.get(element);
      return old && { x: old.left - now.left, y: old.top - now.top };
    };
    for (const section of this.sections) {
      const carried = shift(section) ?? { x: 0, y: 0 };
      if (before.has(section)) this.glide(section, carried); else this.appear(section);
      for (const row of this.rows(section)) {
        const moved = shift(row);
        if (moved) this.glide(row, { x: moved.x - carried.x, y: moved.y - carried.y });
        else this.appear(row);
      }
    }
    for (const row of travelling) this.lift(row);
    for (const row of leaving) this.leave(row, before.get(row));
  }

  glide(element, { x, y }) {
    if (Math.abs(x) < 0.5 && Math.abs(y) < 0.5) return;
    element.animate({ transform: [`translate(${x}px, ${y}px)`, "none"] }, timing);
  }

  appear(element) {
    element.animate({ opacity: [0, 1], transform: ["scale(.96)", "none"] }, timing);
  }

  lift(row) {
    row.classList.add("travelling");
    row.animate({ boxShadow: ["0 6px 18px rgb(0 0 0 / .22)", "0 0 0 transparent"] }, timing)
      .finished.finally(() => row.classList.remove("travelling")).catch(() => {});
  }

  leave(row, place) {
    row.classList.add("leaving");
    row.inert = true;
    row.style.cssText = `left: ${place.left + scrollX}px; top: ${place.top + scrollY}px; `
      + `width: ${place.width}px; height: ${place.height}px`;
    document.body.append(row);
    row.animate({ opacity: [1, 0], transform: ["none", "translateX(-2rem)"] }, timing)
      .finished.finally(() => row.remove()).catch(() => {});
  }
}
