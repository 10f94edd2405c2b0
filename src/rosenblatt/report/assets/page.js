// @ts-check
// A report that checks its own proof.
import { paper, theme } from "./theme.js";
import { proving } from "./proving.js";
import { thresholds } from "./thresholds.js";

theme();
paper();
thresholds();
proving();
