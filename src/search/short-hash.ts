/** A short name of a text, for keys that nobody wants to forge: FNV-1a, twice. Loading a better one takes longer. */
export function shortHash(text: string): string {
  return [0x811c9dc5, 0x050c5d1f].map((start) => fnv(text, start).toString(36).padStart(7, "0")).join("");
}

function fnv(text: string, start: number): number {
  let hash = start;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}
