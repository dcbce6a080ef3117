import type { PricedProvider } from "./catalog.ts";

declare const table: {
  /** Package and version that the prices are from. */
  source: string;
  providers: readonly PricedProvider[];
};
export = table;
