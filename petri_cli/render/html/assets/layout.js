// Where everything stands. Columns and rows of each block come with the data; how large they are depends on what is
// folded, and that is worked out here: each block from its members, innermost first, then placed from the outside in.

const GAP_X = 30, GAP_Y = 12, PAD = 12, HEAD = 26, ABOVE = 14;
const LETTER = 6.9, PLACE = 9;

function textWidth(text) {
  let width = 0;
  for (const c of text) width += c.codePointAt(0) > 0x2e7f ? 2 : 1;
  return width * LETTER;
}

class Drawing {
  constructor(data) {
    Object.assign(this, data);
    this.first = this.places.length;
    this.holder = new Int32Array(this.first + this.transitions.length).fill(-1);
    this.blocks.forEach((block, b) => {
      block.children = [];
      block.tasks = 0;
      if (block.parent >= 0) this.blocks[block.parent].children.push(b);
      for (const [n] of block.cells) if (n >= 0) this.holder[n] = b;
    });
    this.transitions.forEach((t, k) => {
      if (t.kind !== "task") return;
      for (let b = this.holder[this.first + k]; b >= 0; b = this.blocks[b].parent) this.blocks[b].tasks += 1;
    });
    this.number = new Map();
    this.places.forEach((p, k) => this.number.set(p.id, k));
    this.transitions.forEach((t, k) => this.number.set(t.id, this.first + k));
    this.flat = Boolean(this.blocks[0].flat);
    this.blocks.forEach((block) => { block.bare = this.bare(block); });
  }

  // A sequence that is all there is inside its block needs no frame of its own.
  bare(block) {
    return block.parent < 0 || (block.kind === "seq" && !["parallel", "choice", "part"].includes(this.blocks[block.parent].kind));
  }

  isResource(n) { return n < this.first && this.holder[n] < 0; }

  label(n) {
    if (n < this.first) return this.flat ? crop(shown(this.places[n].name ?? this.places[n].id), 22) : "";
    const t = this.transitions[n - this.first];
    return crop(shown(t.label), 30);
  }

  size(n) {
    if (n < 0) return this.boxes[-1 - n];
    if (n < this.first) return this.flat ? { w: Math.max(24, textWidth(this.label(n))), h: 24 } : { w: 2 * PLACE, h: 2 * PLACE };
    const task = ["task", "net"].includes(this.transitions[n - this.first].kind);
    return { w: textWidth(this.label(n)) * (task ? 1 : 0.86) + (task ? 20 : 12), h: task ? 30 : 22 };
  }

  folded(block) {
    const names = this.names(block);
    return { w: Math.max(112, ...names.map((name) => 1.08 * textWidth(name) + 36)), h: 46 };
  }

  // From the upper end of a member to the height at which the flow goes through it.
  up(n) {
    const { h, port } = this.size(n);
    return port ?? h / 2;
  }

  names(block) {
    const word = block.kind === "part" ? "" : block.kind;
    const title = crop(shown(block.title), 34);
    const tasks = block.tasks ? many(block.tasks, "task") : "";
    return [[word, title].filter(Boolean).join(" "), tasks];
  }

  // open: the blocks that are not folded. Fills at (middle and size of each visible element and block) and box sizes.
  place(open) {
    const { blocks } = this;
    this.open = open;
    this.boxes = blocks.map((block) => this.folded(block));
    this.seen = new Uint8Array(blocks.length);
    this.fold = new Int32Array(blocks.length).fill(-1); // the folded block that hides this one's members
    blocks.forEach((block, b) => {
      if (b && (!this.seen[block.parent] || !open.has(block.parent))) this.fold[b] = this.fold[block.parent];
      else {
        this.seen[b] = 1;
        if (!open.has(b)) this.fold[b] = b;
      }
    });
    const inner = new Array(blocks.length);
    for (let b = blocks.length - 1; b >= 0; b -= 1) {
      if (!this.seen[b] || !open.has(b)) continue;
      inner[b] = this.flat ? this.columns(blocks[b]) : this.grid(blocks[b]);
      const frame = blocks[b].bare ? 0 : PAD, head = blocks[b].bare ? 0 : HEAD;
      inner[b].dx = frame;
      inner[b].dy = frame + head + (blocks[b].kind === "loop" ? ABOVE : 0);
      this.boxes[b] = { w: Math.max(inner[b].w + 2 * frame, blocks[b].bare ? 0 : textWidth(this.names(blocks[b])[0]) + 46), h: inner[b].h + inner[b].dy + frame, port: inner[b].port + inner[b].dy };
    }
    this.at = new Map();
    this.at.set(-1, { x: this.boxes[0].w / 2, y: this.boxes[0].h / 2, ...this.boxes[0] });
    blocks.forEach((block, b) => {
      if (!inner[b]) return;
      const own = this.at.get(-1 - b);
      const left = own.x - own.w / 2 + inner[b].dx, top = own.y - own.h / 2 + inner[b].dy;
      for (const [n, x, y] of inner[b].cells) this.at.set(n, { x: left + x, y: top + y, ...this.size(n) });
      block.bent = inner[b].bends && new Map([...inner[b].bends].map(([key, way]) => [key, way.map(([x, half, y]) => [left + x, half, top + y])]));
    });
    this.pools();
  }

  // Columns as wide as their widest member; rows where two members share a column, as high as the highest in them. What
  // goes through a member stays at one height: the arcs along a row are straight, however deep the blocks in it are.
  grid(block) {
    const columns = [], above = new Map(), below = new Map();
    for (const cell of block.cells) (columns[cell[1]] ??= []).push(cell);
    const most = (map, y, value) => map.set(y, Math.max(map.get(y) ?? 0, value));
    let up = 0, down = 0; // of members that have a column for themselves
    for (const column of columns) {
      for (const [n, , y] of column ?? []) {
        const over = this.up(n), under = this.size(n).h - over;
        if (column.length > 1) {
          most(above, y, over);
          most(below, y, under);
        } else [up, down] = [Math.max(up, over), Math.max(down, under)];
      }
    }
    const ys = [...above.keys()].sort((a, b) => a - b), middle = new Map();
    let height = 0;
    for (const y of ys) {
      middle.set(y, height + above.get(y));
      height += above.get(y) + below.get(y) + GAP_Y;
    }
    height = Math.max(0, height - GAP_Y);
    const line = ys.length ? (middle.get(ys[0]) + middle.get(ys.at(-1))) / 2 : 0; // of those alone
    const shift = Math.max(0, up - line), port = shift + line;
    const cells = [];
    let x = 0;
    for (const column of columns) {
      if (!column) continue;
      const wide = Math.max(...column.map(([n]) => this.size(n).w));
      for (const [n, , y] of column) {
        const through = column.length > 1 ? shift + middle.get(y) : port;
        cells.push([n, x + wide / 2, through - this.up(n) + this.size(n).h / 2]);
      }
      x += wide + GAP_X;
    }
    return { cells, port, w: Math.max(0, x - GAP_X), h: Math.max(shift + height, port + down) };
  }

  // A net without blocks: heights are in pixels already, and long arcs have bends.
  columns(block) {
    const wide = [];
    for (const [n, c] of block.cells) wide[c] = Math.max(wide[c] ?? 0, this.size(n).w);
    const middles = [];
    let x = 0;
    for (let c = 0; c < wide.length; c += 1) {
      middles[c] = x + (wide[c] ?? 0) / 2;
      x += (wide[c] ?? 0) + GAP_X + 8;
    }
    const cells = block.cells.map(([n, c, y]) => [n, middles[c], y]);
    const bends = new Map(Object.entries(block.bends ?? {}).map(([key, way]) => [key, way.map(([c, y]) => [middles[c], wide[c] / 2, y])]));
    const h = Math.max(30, ...block.cells.map(([, , y]) => y + 30));
    return { cells, bends, port: h / 2, w: Math.max(0, x - GAP_X - 8), h };
  }

  // Resources stand in a row below, each below those who use it.
  pools() {
    const bottom = this.boxes[0].h + 56;
    const users = new Map();
    for (let n = 0; n < this.first; n += 1) if (this.isResource(n)) users.set(n, []);
    for (const [a, b] of this.arcs) {
      const pool = users.has(a) ? a : users.has(b) ? b : -1;
      if (pool < 0) continue;
      users.get(pool).push(this.at.get(this.shownAs(pool === a ? b : a)).x);
    }
    const mean = (xs) => (xs.length ? xs.reduce((sum, x) => sum + x, 0) / xs.length : 0);
    let right = 0;
    for (const [n, xs] of [...users].sort((one, other) => mean(one[1]) - mean(other[1]))) {
      const w = textWidth(this.poolName(n)) + 64;
      const x = Math.max(mean(xs), right + w / 2);
      this.at.set(n, { x, y: bottom, w, h: 30 });
      right = x + w / 2 + 24;
    }
    this.width = Math.max(this.boxes[0].w, right);
    this.height = users.size ? bottom + 40 : this.boxes[0].h;
  }

  poolName(n) { return crop(shown(this.places[n].id.replace(/^r\./, "")), 30); }

  // What stands for an element in the picture: itself, or the folded block that it is inside of.
  shownAs(n) {
    if (n < 0) return n;
    const b = this.holder[n];
    return b < 0 || this.fold[b] < 0 ? n : -1 - this.fold[b];
  }

  around(n) { return n < 0 ? this.blocks[-1 - n].parent : this.holder[n]; }
}
