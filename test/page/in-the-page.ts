/** Functions that run in the page. They may use nothing from outside of themselves. */

/** Finds elements and attributes that a page has and that did not come from our own code. */
export function intruders(): string[] {
  const elements = new Set(
    `html head meta link title style body header nav main footer section article h1 h2 h3 h4 h5 h6 p a ul ol li dl dt dd div
     span strong em del ins br hr code pre blockquote table thead tbody tr th td details summary time img fieldset legend`.split(
      /\s+/,
    ),
  );
  const attributes = new Set(
    `aria-label aria-labelledby class content charset datetime dir href http-equiv id lang loading
     alt name open rel scope src start tabindex title type`.split(/\s+/),
  );
  const found: string[] = [];
  const all = [...document.querySelectorAll("*")];
  for (const element of all) {
    const name = element.localName;
    if (!elements.has(name)) found.push(`<${name}>`);
    for (const { name: attribute, value } of element.attributes) {
      if (!attributes.has(attribute)) found.push(`<${name} ${attribute}>`);
      const isOurs = /^(#[\w-]+|https?:\/\/.*|mailto:.*)$/.test(value) || (name === "link" && value === "data:,");
      if (attribute === "href" && !isOurs) found.push(`<${name} href=${value}>`);
      if (attribute === "src" && !/^data:image\/(png|jpeg|gif|webp|avif);base64,/.test(value))
        found.push(`src=${value}`);
    }
  }
  for (const [name, count] of [
    ["style", 1],
    ["meta", 6],
    ["link", 1],
    ["main", 1],
  ] as const) {
    if (all.filter((element) => element.localName === name).length !== count) found.push(`not ${count} <${name}>`);
  }
  if (/[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(document.documentElement.outerHTML)) {
    found.push("a character that cannot be seen");
  }
  return found;
}

/** Elements that reach beyond the window's right edge, unless they scroll or are cut within a box that does not. */
export function wideElements(): string[] {
  const isCut = (element: Element | null): boolean => {
    for (let at = element; at !== null && at !== document.body; at = at.parentElement) {
      if (getComputedStyle(at).overflowX !== "visible" && at.getBoundingClientRect().right <= innerWidth + 0.5)
        return true;
    }
    return false;
  };
  return [...document.body.querySelectorAll("*")]
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5 && !isCut(element.parentElement))
    .map((element) => element.outerHTML.slice(0, 100));
}

interface Contrast {
  text: string;
  ground: string;
  ratio: number;
}

/** Returns, for each element with text of its own, its contrast with its background (WCAG 2). */
export function contrasts(): Contrast[] {
  const channels = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const groundOf = (element: Element | null): string => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (channels(color)[3] !== 0) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const hasText = (node: Node): boolean => node.nodeType === Node.TEXT_NODE && (node.textContent ?? "").trim() !== "";
  return [...document.body.querySelectorAll("*")]
    .filter((element) => [...element.childNodes].some(hasText))
    .map((element) => {
      const ground = groundOf(element);
      const [light = 0, dark = 0] = [luminance(getComputedStyle(element).color), luminance(ground)].toSorted(
        (a, b) => b - a,
      );
      return { text: (element.textContent ?? "").slice(0, 40), ground, ratio: (light + 0.05) / (dark + 0.05) };
    });
}

/** Width in pixels of the line around what has the focus. */
export function focusedOutline(): number {
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement ?? document.body);
  return outlineStyle === "none" ? 0 : Number.parseFloat(outlineWidth);
}
