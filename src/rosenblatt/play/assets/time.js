// @ts-check
// Where the film is, and whether it plays. How long a step takes is in film.js, the speeds in controls.js.

export class Time {
  /** @param {() => void} moved */
  constructor(moved) {
    this.moved = moved;
    this.t = 0;
    this.reached = 0; // what was not seen yet is not shown
    this.playing = false;
    this.speed = 1;
    this.until = Infinity;
    this.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    /** @type {import("./film.js").Film} */ this.film = /** @type {any} */ (null);
  }

  /** Another film, from its start or at its end. @param {import("./film.js").Film} film @param {boolean} ended */
  use(film, ended) {
    this.film = film;
    this.playing = false;
    this.t = this.reached = ended ? film.length : 0;
  }

  get moment() {
    return this.film.at(this.t);
  }

  get over() {
    return this.t >= this.film.length;
  }

  /** Steps that are made. */
  get step() {
    const { done, rest, rows } = this.moment;
    return done + (rest && rows.length ? 1 : 0);
  }

  /** @param {number} t */
  seek(t) {
    this.playing = false;
    this.t = Math.min(Math.max(t, 0), this.film.length);
    this.reached = Math.max(this.reached, this.t);
    this.moved();
  }

  /** To the end of a step; of the last one: to the end of all. @param {number} step */
  goTo(step) {
    this.seek(step >= this.film.replay.steps ? this.film.length : this.film.endOf(step));
  }

  toggle() {
    if (this.playing) this.seek(this.t);
    else this.play(this.over ? 0 : this.t);
  }

  /** @param {number} from @param {number} until */
  play(from, until = Infinity) {
    this.t = from;
    this.until = Math.min(until, this.film.length);
    if (this.playing) return;
    this.playing = true;
    let last = performance.now();
    const frame = (/** @type {number} */ now) => {
      if (!this.playing) return;
      this.t = Math.min(this.t + Math.min(now - last, 60) * this.speed, this.until);
      this.reached = Math.max(this.reached, this.t);
      last = now;
      this.playing = this.t < this.until;
      this.moved();
      if (this.playing) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    this.moved();
  }

  /** One step on: watched, where motion is wanted. */
  next() {
    const to = this.film.next(this.t);
    if (this.still || this.playing) this.seek(to);
    else this.play(this.t, to);
  }

  back() {
    this.seek(this.film.before(this.t));
  }
}
