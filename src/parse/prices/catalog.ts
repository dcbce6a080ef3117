/** Finding a model's price in the table, by the rules of the package that it comes from. */
import { chosenPrice, type Price, type Prices } from "./chosen-price.ts";
import { matches, type Match } from "./match.ts";
import { PRICE_TABLE } from "./table.ts";

export interface FoundPrice {
  providerId: string;
  modelId: string;
  price: Price;
  /** All prices of the model, for whoever wants to know how long this one holds. */
  prices: Prices;
}

interface ProviderHead {
  id: string;
  provider_match?: Match;
  model_match?: Match;
  fallback_model_providers?: string[];
}

interface Model {
  id: string;
  match: Match;
  prices: Prices;
}

/** A model's name may end in a day without hyphens where the table has them. */
const DAY = /-(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)/g;

export class PriceCatalog {
  readonly #providers: readonly Provider[] = PRICE_TABLE.map(([head, models]) => new Provider(head, models));

  /** The price at a time. `provider` null: as the model's maker has it. Undefined if there is none in the table. */
  find(model: string, provider: string | null, time: Date): FoundPrice | undefined {
    const name = model.toLowerCase().trim();
    const slash = name.indexOf("/");
    if (provider?.toLowerCase() === "litellm" && slash > 0 && slash < name.length - 1) {
      const inner = this.#named(name.slice(0, slash));
      if (inner) return this.#priced(inner, name.slice(slash + 1), time);
    }
    const known = provider === null || provider === "" ? undefined : this.#named(provider);
    if (known) return this.#priced(known, name, time);
    if (provider !== null && provider !== "" && provider.toLowerCase() !== "litellm") return undefined;
    const maker = this.#providers.find(({ head }) => head.model_match && matches(head.model_match, name));
    return maker && this.#priced(maker, name, time);
  }

  #named(provider: string): Provider | undefined {
    const name = provider.toLowerCase().trim();
    return (
      this.#providers.find(({ head }) => head.id === name) ??
      this.#providers.find(({ head }) => head.provider_match && matches(head.provider_match, name))
    );
  }

  #priced(provider: Provider, name: string, time: Date): FoundPrice | undefined {
    const model = this.#model(provider, name) ?? this.#model(provider, withHyphens(name));
    if (!model) return undefined;
    const { id: modelId, prices } = model;
    return { providerId: provider.head.id, modelId, price: chosenPrice(prices, time), prices };
  }

  /** The provider's own model of this name, or that of a maker whose models it sells. */
  #model(provider: Provider, name: string): Model | undefined {
    const own = provider.model(name);
    if (own) return own;
    for (const id of provider.head.fallback_model_providers ?? []) {
      const model = this.#providers.find(({ head }) => head.id === id)?.model(name);
      if (model) return model;
    }
    return undefined;
  }
}

class Provider {
  readonly head: ProviderHead;
  readonly #json: string;
  #models: readonly Model[] | undefined;

  constructor(head: string, models: string) {
    this.head = JSON.parse(head);
    this.#json = models;
  }

  model(name: string): Model | undefined {
    this.#models ??= modelsIn(this.#json);
    return this.#models.find(({ match }) => matches(match, name));
  }
}

function modelsIn(json: string): Model[] {
  return JSON.parse(json);
}

function withHyphens(name: string): string {
  return name.replace(DAY, (text, year: string, month: string, day: string) => {
    const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
    const exists = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
    return exists ? `-${year}-${month}-${day}` : text;
  });
}
