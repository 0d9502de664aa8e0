// Charts over the same time: they show the same part of it, and the pointer in one is shown in all.

/** Member is what a group needs of a chart. */
export interface Member {
  /** show draws a part of the x axis. It is called once a frame at most, and for charts in view only. */
  show(from: number, to: number): void;
  /** point shows the pointer at an x value, or no pointer. */
  point(x: number | null, from: Member | null): void;
  /** inView reports whether the chart is drawn and in view. */
  inView(): boolean;
}

export class Group {
  private members: Member[] = [];
  private stale = new Set<Member>();
  private frame = 0;
  from = Infinity;
  to = -Infinity;
  private start = Infinity;
  private last = -Infinity;
  private step = 0;
  /** right is whether a chart of the group has an axis on the right: then all leave room for one, and align. */
  right = false;
  pointer: number | null = null;

  add(m: Member, ends: [number, number] | undefined, step: number, right: boolean, marked: boolean): void {
    if (marked) this.first ??= m;
    this.members.push(m);
    this.right ||= right;
    if (!ends) return;
    const zoomed = this.from < this.to && !this.whole();
    this.start = Math.min(this.start, ends[0]);
    this.last = Math.max(this.last, ends[1]);
    this.step = this.step > 0 ? Math.min(this.step, step || this.step) : step;
    if (zoomed) return; // the reader has chosen a part
    this.from = this.start;
    this.to = this.last > this.start ? this.last : this.start + 1;
  }

  remove(m: Member): void {
    this.members = this.members.filter((other) => other !== m);
    this.stale.delete(m);
    if (this.first === m) this.first = undefined;
  }

  /** grow extends the axis, as a run goes on, and takes the length of finer intervals. Charts that show all of the axis still do. */
  grow(start: number, last: number, step = 0): void {
    const whole = this.whole();
    if (step > 0) this.step = this.step > 0 ? Math.min(this.step, step) : step;
    if (start >= this.start && last <= this.last) return;
    this.start = Math.min(this.start, start);
    this.last = Math.max(this.last, last);
    if (!whole && this.from < this.to) return;
    this.from = this.start;
    this.to = this.last > this.start ? this.last : this.start + 1;
    this.refresh();
  }

  /** first is the first chart on the page that has marks: it explains their colours. */
  first: Member | undefined;

  /** whole reports whether all of the axis is shown. */
  whole(): boolean {
    return this.from <= this.start && this.to >= this.last;
  }

  /** zoom shows a part of the axis in all charts. */
  zoom(from: number, to: number): void {
    const end = this.last > this.start ? this.last : this.start + 1;
    const least = Math.min(Math.max(this.step * 4, (end - this.start) * 1e-5), end - this.start);
    let width = Math.min(Math.max(to - from, least), end - this.start);
    if (!(width > 0)) width = end - this.start;
    const middle = (from + to) / 2;
    this.from = Math.min(Math.max(middle - width / 2, this.start), end - width);
    this.to = this.from + width;
    this.refresh();
  }

  reset(): void {
    this.zoom(this.start, this.last);
  }

  /** pan moves the shown part by a share of its width. */
  pan(share: number): void {
    const by = (this.to - this.from) * share;
    this.zoom(this.from + by, this.to + by);
  }

  /** scale zooms around the pointer, or around the middle. */
  scale(factor: number): void {
    const inside = this.pointer !== null && this.pointer >= this.from && this.pointer <= this.to;
    const at = inside ? (this.pointer as number) : (this.from + this.to) / 2;
    this.zoom(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  /** refresh redraws the charts in view before the next frame, and the others when they come into view. */
  refresh(): void {
    for (const m of this.members) this.stale.add(m);
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      for (const m of this.members) if (m.inView()) this.update(m);
    });
  }

  /** update redraws a chart if it shows another part than the group. */
  update(m: Member): void {
    if (this.stale.delete(m)) m.show(this.from, this.to);
  }

  point(x: number | null, from: Member | null): void {
    this.pointer = x;
    for (const m of this.members) if (m === from || m.inView()) m.point(x, from);
  }
}
