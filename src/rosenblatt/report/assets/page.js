// @ts-check
// A report that checks its own proof.
import { theme, unfolding } from "./theme.js";
import { proving } from "./proving.js";

theme();
unfolding();
proving();
