// @ts-check
// A report that has no proof to check.
import { theme, unfolding } from "./theme.js";

theme();
unfolding();
