// @ts-check
// What a page carries is deflated and in base64, as `play/html_page.py` packs it.

/** @param {string} packed @returns {Response} its text or bytes can be waited for */
export function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")));
}
