// @ts-check
// A report that checks its own proof.
import { theme } from "./theme.js";
import { proving } from "./proving.js";

theme();
proving();
