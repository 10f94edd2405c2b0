// @ts-check
// A report that has no proof to check.
import { theme } from "./theme.js";

theme();
