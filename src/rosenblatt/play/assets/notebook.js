// @ts-check
// The playground in a cell of a notebook: Python sees every change, and makes some.
import { mount } from "./app.js";
import { fingerprint } from "./fingerprint.js";
import { rowsOf } from "./model.js";

/** What Python is told of a model. @param {import("./model.js").Model} model */
function rowsNow({ data, settings }) {
  return { x: Array.from(data.x), y: Array.from(data.y), names: data.names, classes: data.classes, settings };
}

/** As anywidget calls it. @param {{model: any, el: HTMLElement}} home */
export async function render({ model: python, el }) {
  /** @type {any} */ let told = null; // the run that Python knows
  let quiet = true; // while Python itself has made the change
  const options = { ...python.get("_given"), table: python.get("_rows"), onchange: tell };
  const shown = await mount(el, options);
  quiet = false;
  tell(shown);

  function tell(/** @type {import("./model.js").Model} */ now) {
    if (now.moving >= 0 || now.run === told) return;
    told = now.run;
    const { run } = now;
    if (!quiet) python.set("_rows", rowsNow(now));
    python.set("_run", {
      returned: Array.from(run.returned), updates: run.updates, errors: run.errors, stop: run.stop,
      limits: [run.settings.maxIter, run.settings.maxUpdates], fingerprint: fingerprint(run),
    });
    python.save_changes();
  }

  const hear = () => {
    const rows = python.get("_rows");
    if (JSON.stringify(rows) === JSON.stringify(rowsNow(shown))) return;
    quiet = true;
    shown.edited = true;
    shown.use(rowsOf(rows), rows.settings ?? {});
    quiet = false;
  };
  python.on("change:_rows", hear);
  return () => python.off("change:_rows", hear);
}
