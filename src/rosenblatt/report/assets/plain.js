// @ts-check
// A report that has no proof to check.
import { paper, theme } from "./theme.js";
import { thresholds } from "./thresholds.js";

theme();
paper();
thresholds();
