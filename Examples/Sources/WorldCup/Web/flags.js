// SPDX-License-Identifier: Apache-2.0

// Flags as drawings, because many systems have no font with them. Each design is a list of shapes on an
// area of 30 × 20; the details of coats of arms are left out.
//   h, v  stripes from top to bottom or from left to right; *2 is a stripe of twice the width
//   r     a rectangle: x y width height
//   o, a  a disc and the lower half of one: x y radius
//   s     a star: x y radius
//   p     a polygon: its points
const designs = {
  DZ: "v 006233 ffffff; o 15 10 4.5 d21034; o 16.4 10 3.6 ffffff; s 17.5 10 2 d21034",
  CM: "v 007a5e ce1126 fcd116; s 15 10 3.2 fcd116",
  GH: "h ce1126 fcd116 006b3f; s 15 10 3.4 000000",
  CI: "v f77f00 ffffff 009e60",
  NG: "v 008751 ffffff 008751",
  AU: "h 00008b; r 0 4 13 2.4 ffffff; r 5.3 0 2.4 10 ffffff; r 0 4.6 13 1.2 e4002b; r 5.9 0 1.2 10 e4002b;"
    + "s 6.5 15 3 ffffff; s 22 3.5 1.6 ffffff; s 26 8 1.6 ffffff; s 19 8.5 1.6 ffffff; s 22.5 16 1.6 ffffff",
  IR: "h 239f40 ffffff da0000; o 15 10 2 da0000",
  JP: "h ffffff; o 15 10 6 bc002d",
  KR: "h ffffff; o 15 10 5 cd2e3a; a 15 10 5 0047a0",
  BE: "v 000000 fae042 ed2939",
  BA: "h 002395; p 9,0 25,0 25,20 fecb00",
  HR: "h ff0000 ffffff 171796; r 12.5 6 5 7.5 ff0000; r 14 7.5 2 2 ffffff; r 14 11 2 2 ffffff",
  "GB-ENG": "h ffffff; r 13 0 4 20 ce1124; r 0 8 30 4 ce1124",
  "GB-SCT": "h 005eb8; p 0,0 3.5,0 30,17.5 30,20 26.5,20 0,2.5 ffffff; p 30,0 26.5,0 0,17.5 0,20 3.5,20 30,2.5 ffffff",
  "GB-WLS": "h ffffff 00ab39; p 8,13 13,5 17,9 22,7 20,14 c8102e",
  FR: "v 0055a4 ffffff ef4135",
  DE: "h 000000 dd0000 ffce00",
  GR: "h 0d5eaf ffffff 0d5eaf ffffff 0d5eaf ffffff 0d5eaf ffffff 0d5eaf;"
    + "r 0 0 11.1 11.1 0d5eaf; r 0 4.4 11.1 2.3 ffffff; r 4.4 0 2.3 11.1 ffffff",
  IT: "v 009246 ffffff ce2b37",
  NL: "h ae1c28 ffffff 21468b",
  PT: "v 006600*2 ff0000*3; o 12 10 3.6 ffe900; o 12 10 2 ff0000",
  RU: "h ffffff 0039a6 d52b1e",
  ES: "h aa151b f1bf00*2 aa151b",
  CH: "h d52b1e; r 13 4.5 4 11 ffffff; r 9.5 8 11 4 ffffff",
  CR: "h 002b7f ffffff ce1126*2 ffffff 002b7f",
  HN: "h 0073cf ffffff 0073cf; s 15 10 1.4 0073cf; s 11 8.4 1.2 0073cf; s 19 8.4 1.2 0073cf;"
    + "s 11 11.8 1.2 0073cf; s 19 11.8 1.2 0073cf",
  MX: "v 006847 ffffff ce1126; o 15 10 2.4 8a6d3b",
  US: "h b22234 ffffff b22234 ffffff b22234 ffffff b22234 ffffff b22234 ffffff b22234 ffffff b22234;"
    + "r 0 0 13 10.8 3c3b6e; s 3.5 3 1 ffffff; s 9.5 3 1 ffffff; s 6.5 5.4 1 ffffff; s 3.5 7.8 1 ffffff;"
    + "s 9.5 7.8 1 ffffff",
  AR: "h 74acdf ffffff 74acdf; o 15 10 2.4 f6b40e",
  BR: "h 009c3b; p 15,2 28,10 15,18 2,10 fedf00; o 15 10 4.2 002776",
  CL: "h ffffff d52b1e; r 0 0 10 10 0039a6; s 5 5 3 ffffff",
  CO: "h fcd116*2 003893 ce1126",
  EC: "h ffdd00*2 034ea2 ed1c24; o 15 10 2.4 8a6d3b",
  UY: "h ffffff 0038a8 ffffff 0038a8 ffffff 0038a8 ffffff 0038a8 ffffff; r 0 0 11.1 11.1 ffffff;"
    + "o 5.5 5.5 3 fcd116",
  wizard: "h 4b2a86; p 9,17 15,2 21,17 8f6ad6; s 15 9 2.4 ffd75e",
  ball: "h 3f8f5b; o 15 10 7 ffffff; p 15,6.5 18.3,8.9 17,12.8 13,12.8 11.7,8.9 222222",
};

const drawn = new Map();

// Returns the drawing of a flag that is given as an emoji; the two letters of a region without a design.
export function drawFlag(emoji) {
  const code = codeOf(emoji);
  if (!drawn.has(code)) drawn.set(code, draw(designs[code], code));
  return drawn.get(code).cloneNode(true);
}

// The letters of an emoji that consists of regional indicators or, for a part of a region, of tags.
function codeOf(emoji) {
  const points = [...emoji].map(character => character.codePointAt(0));
  const letters = (from, to, a) => String.fromCharCode(
    ...points.filter(point => point >= from && point <= to).map(point => point - from + a));
  const tags = letters(0xE0061, 0xE007A, 65);
  if (tags) return `${tags.slice(0, 2)}-${tags.slice(2)}`;
  return letters(0x1F1E6, 0x1F1FF, 65) || (points[0] === 0x1F9D9 ? "wizard" : "ball");
}

function draw(design, code) {
  const picture = element("svg", { viewBox: "0 0 30 20", class: "drawn" });
  if (!design) {
    picture.append(element("rect", { width: 30, height: 20, fill: "#5c6b63" }));
    const letters = element("text", {
      x: 15, y: 14.5, "text-anchor": "middle", "font-size": 12, "font-weight": 700, fill: "#ffffff",
    });
    letters.textContent = code;
    picture.append(letters);
    return picture;
  }
  for (const shape of design.split(";")) {
    const [kind, ...words] = shape.trim().split(/\s+/);
    picture.append(...shapes[kind](words));
  }
  return picture;
}

const shapes = {
  h: words => stripes(words, (at, size) => ({ x: 0, y: at * 20, width: 30, height: size * 20 })),
  v: words => stripes(words, (at, size) => ({ x: at * 30, y: 0, width: size * 30, height: 20 })),
  r: ([x, y, width, height, color]) => [element("rect", { x, y, width, height, fill: `#${color}` })],
  o: ([cx, cy, r, color]) => [element("circle", { cx, cy, r, fill: `#${color}` })],
  a: ([x, y, r, color]) => [
    element("path", { d: `M${x - r} ${y}a${r} ${r} 0 0 0 ${2 * r} 0z`, fill: `#${color}` }),
  ],
  s: ([x, y, r, color]) => [element("polygon", { points: star(+x, +y, +r), fill: `#${color}` })],
  p: words => [element("polygon", { points: words.slice(0, -1).join(" "), fill: `#${words.at(-1)}` })],
};

function stripes(words, area) {
  const parts = words.map(word => word.split("*")).map(([color, size]) => ({ color, size: Number(size ?? 1) }));
  const total = parts.reduce((sum, { size }) => sum + size, 0);
  let at = 0;
  return parts.map(({ color, size }) => {
    const stripe = element("rect", { ...area(at / total, size / total), fill: `#${color}` });
    at += size;
    return stripe;
  });
}

function star(x, y, radius) {
  return Array.from({ length: 10 }, (_, corner) => {
    const angle = Math.PI * (corner / 5 - 0.5), reach = corner % 2 ? radius * 0.382 : radius;
    return `${(x + reach * Math.cos(angle)).toFixed(2)},${(y + reach * Math.sin(angle)).toFixed(2)}`;
  }).join(" ");
}

function element(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
