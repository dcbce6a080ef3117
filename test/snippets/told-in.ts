/**
 * One made-up session, told in several languages. Names in code, commands and outputs are the same in each; only what
 * people and models say differs. English is the original, the others are its translations.
 */
import { assistant, calls, result, says, user } from "../support/cli/claude-lines.ts";

export interface Words {
  report: string;
  why: string;
  again: string;
  done: string;
  askWays: string;
  ways: string;
  pick: string;
  kept: string;
  askOrder: string;
  order: string;
  asked: string;
  reply: string;
  correction: string;
  corrected: string;
}

export const LANGUAGES: Readonly<Record<string, Words>> = {
  English: {
    report:
      "`parsePrice` in `src/price.ts` rounds twice, so `parsePrice('1.005')` gives 1.00 and `cartTotal` is a cent too low.",
    why: "`parsePrice` rounds to cents with `toFixed`, and `cartTotal` does it again after the sum. The first rounding is too much: `parsePrice` has to give the exact number, and `cartTotal` rounds once at the end.",
    again:
      "The test of `cartTotal` gets a string, since `roundCents` passes on what `toFixed` gives. It has to be a number.",
    done: "`parsePrice` gives the exact number now, and `cartTotal` rounds once with `roundCents`. The test has the case 1.005 that had failed before, and it passes together with all the others.",
    askWays: "How could we keep `cartTotal` up to date while the prices change? Look at the code first.",
    ways: "I looked at `src/cart.ts`. There are two ways:\n\n1. `cartTotal` subscribes to `priceStore` and computes anew on each change. Every caller gets the new sum at once, and nothing else has to be touched, but each keystroke in the price field computes all of it again.\n2. `cartTotal` stays a function, and `useCart` calls it when the cart is shown. This is one place only, the sum is never older than what is on the screen, and tests need no store at all.\n\nBoth need a test in `cart.test.ts`. Which one shall it be?",
    pick: "2",
    kept: "`useCart` calls `cartTotal` when the cart is shown.",
    askOrder: "In which order does `resolveTax` look for the rate of a country?",
    order:
      "`resolveTax` in `src/tax.ts` looks in this order:\n\n```ts\nconst rate = order.taxOverride ?? countryTable[code] ?? DEFAULT_RATE;\n```\n\nFirst the rate of the order itself, `taxOverride`, which only the back office sets. Then the table `countryTable`, which `loadRates` fills at the start. At last `DEFAULT_RATE`, for countries that are not in the table; it is 0.19 and stands in `src/config.ts`, so a country that is missing is taxed like Germany.",
    asked: "Where shall `loadRates` keep the table between two starts?",
    reply: "In a file",
    correction:
      "Not with `setTimeout`: `loadRates` then reads a file that `saveRates` has only half written. Rename the finished file over the old one.",
    corrected:
      "`saveRates` writes to a file beside it and renames it, so `loadRates` sees the old table or the new one.",
  },
  German: {
    report:
      "`parsePrice` in `src/price.ts` rundet zweimal, `parsePrice('1.005')` ergibt also 1.00 und `cartTotal` liegt einen Cent zu tief.",
    why: "`parsePrice` rundet mit `toFixed` auf Cent, und `cartTotal` tut es nach der Summe noch einmal. Die erste Rundung ist zu viel: `parsePrice` muss die genaue Zahl liefern, und `cartTotal` rundet einmal am Ende.",
    again:
      "Der Test von `cartTotal` bekommt eine Zeichenkette, da `roundCents` weitergibt, was `toFixed` liefert. Es muss eine Zahl sein.",
    done: "`parsePrice` liefert jetzt die genaue Zahl, und `cartTotal` rundet einmal mit `roundCents`. Der Test enthält den Fall 1.005, der vorher falsch war, und läuft mit allen anderen durch.",
    askWays: "Wie könnten wir `cartTotal` aktuell halten, während sich die Preise ändern? Sieh dir erst den Code an.",
    ways: "Ich habe `src/cart.ts` angesehen. Es gibt zwei Wege:\n\n1. `cartTotal` abonniert `priceStore` und rechnet bei jeder Änderung neu. Jeder Aufrufer hat die neue Summe sofort, und sonst muss nichts angefasst werden, aber jeder Tastendruck im Preisfeld rechnet alles noch einmal.\n2. `cartTotal` bleibt eine Funktion, und `useCart` ruft sie auf, wenn der Warenkorb gezeigt wird. Das ist nur eine Stelle, die Summe ist nie älter als der Bildschirm, und Tests brauchen keinen Speicher.\n\nBeide brauchen einen Test in `cart.test.ts`. Welcher soll es sein?",
    pick: "2",
    kept: "`useCart` ruft `cartTotal` auf, wenn der Warenkorb gezeigt wird.",
    askOrder: "In welcher Reihenfolge sucht `resolveTax` den Satz eines Landes?",
    order:
      "`resolveTax` in `src/tax.ts` sucht in dieser Reihenfolge:\n\n```ts\nconst rate = order.taxOverride ?? countryTable[code] ?? DEFAULT_RATE;\n```\n\nZuerst den Satz der Bestellung selbst, `taxOverride`, den nur die Verwaltung setzt. Dann die Tabelle `countryTable`, die `loadRates` beim Start füllt. Zuletzt `DEFAULT_RATE`, für Länder, die nicht in der Tabelle stehen; er ist 0.19 und steht in `src/config.ts`, ein fehlendes Land wird also besteuert wie Deutschland.",
    asked: "Wo soll `loadRates` die Tabelle zwischen zwei Starts behalten?",
    reply: "In einer Datei",
    correction:
      "Nicht mit `setTimeout`: `loadRates` liest dann eine Datei, die `saveRates` erst halb geschrieben hat. Benenne die fertige Datei über die alte um.",
    corrected:
      "`saveRates` schreibt in eine Datei daneben und benennt sie um, `loadRates` sieht also die alte Tabelle oder die neue.",
  },
  Japanese: {
    report:
      "`src/price.ts` の `parsePrice` は二回丸めるので、`parsePrice('1.005')` が 1.00 になり、`cartTotal` が 1 セント少なくなります。",
    why: "`parsePrice` が `toFixed` でセントに丸め、`cartTotal` が合計の後でもう一度丸めています。最初の丸めが余計です。`parsePrice` は正確な数を返し、`cartTotal` が最後に一度だけ丸めるべきです。",
    again:
      "`roundCents` が `toFixed` の結果をそのまま渡すので、`cartTotal` のテストは文字列を受け取ります。数でなければなりません。",
    done: "`parsePrice` は正確な数を返すようになり、`cartTotal` は `roundCents` で一度だけ丸めます。前に失敗した 1.005 の場合をテストに加え、他のすべてと一緒に通りました。",
    askWays: "価格が変わる間も `cartTotal` を最新に保つにはどうすればよいですか。まずコードを見てください。",
    ways: "`src/cart.ts` を見ました。二つの方法があります。\n\n1. `cartTotal` が `priceStore` を購読し、変わるたびに計算し直す。呼び出す側はすぐに新しい合計を得られ、他に触るところはありませんが、価格欄でキーを打つたびに全部を計算し直します。価格の数が増えると、画面が遅くなるおそれもあります。\n2. `cartTotal` は関数のままにして、カートを表示するときに `useCart` が呼ぶ。場所は一つだけで、合計が画面より古くなることはなく、テストにストアは要りません。後から別の画面で使うことも簡単です。\n\nどちらにも `cart.test.ts` のテストが必要です。どちらにしますか？",
    pick: "2",
    kept: "カートを表示するときに `useCart` が `cartTotal` を呼びます。",
    askOrder: "`resolveTax` は国の税率をどの順番で探しますか。",
    order:
      "`src/tax.ts` の `resolveTax` は次の順番で探します。\n\n```ts\nconst rate = order.taxOverride ?? countryTable[code] ?? DEFAULT_RATE;\n```\n\nまず注文そのものの税率 `taxOverride` で、管理画面だけが設定します。次に `loadRates` が起動時に読み込む表 `countryTable` です。最後に、表にない国のための `DEFAULT_RATE` です。値は 0.19 で `src/config.ts` にあるので、表にない国はドイツと同じ税率になります。",
    asked: "`loadRates` は次の起動まで表をどこに置きますか。",
    reply: "ファイル",
    correction:
      "`setTimeout` は使わないでください。`saveRates` が半分しか書いていないファイルを `loadRates` が読んでしまいます。書き終えたファイルを古いものに上書きで改名してください。",
    corrected: "`saveRates` は隣のファイルに書いてから改名するので、`loadRates` は古い表か新しい表のどちらかを見ます。",
  },
};

const PATH = "/work/shop/src";
const FAILED = "Exit code 1\n FAIL  src/cart.test.ts > cartTotal\nAssertionError: expected '1.01' to be 1.01";

function edit(id: string, file: string, from: string, to: string, at: number): string {
  const input = { file_path: `${PATH}/${file}`, old_string: from, new_string: to };
  return calls("Edit", id, input, at) + result(id, "updated", at);
}

function read(id: string, file: string, content: string, at: number): string {
  return calls("Read", id, { file_path: `${PATH}/${file}` }, at) + result(id, content, at);
}

/** A reported problem with its repair, a choice, a question that is answered, a question with options, a correction. */
export function toldIn(words: Words): string {
  const parse = "export const parsePrice = (text: string) => Number(Number(text).toFixed(2));";
  const total = "export const cartTotal = (prices: string[]) => roundCents(sum(prices.map(parsePrice)));";
  const wait = "export const saveRates = (table: Table) => setTimeout(() => writeFileSync(RATES, dump(table)), 10);";
  return [
    user(words.report, 0),
    read("r1", "price.ts", `${parse}\n${total}`, 1),
    says(words.why, 2),
    edit("e1", "price.ts", parse, "export const parsePrice = (text: string) => Number(text);", 3),
    calls("Bash", "b1", { command: "npx vitest run src/cart.test.ts" }, 4),
    result("b1", FAILED, 5, true),
    says(words.again, 6),
    edit(
      "e2",
      "price.ts",
      "const roundCents = (n) => n.toFixed(2);",
      "const roundCents = (n) => Math.round(n * 100) / 100;",
      7,
    ),
    calls("Bash", "b2", { command: "npx vitest run src/cart.test.ts" }, 8),
    result("b2", "1 passed", 9),
    says(words.done, 10),
    user(words.askWays, 20),
    read("r2", "cart.ts", `${total}\nexport const useCart = () => priceStore.items;`, 21),
    says(words.ways, 22),
    user(words.pick, 23),
    edit(
      "e3",
      "cart.ts",
      "export const useCart = () => priceStore.items;",
      "export const useCart = () => cartTotal(items);",
      24,
    ),
    says(words.kept, 25),
    user(words.askOrder, 30),
    read("r3", "tax.ts", "resolveTax(order.taxOverride ?? countryTable[code] ?? DEFAULT_RATE) loadRates", 31),
    says(words.order, 32),
    user("ok", 40),
    assistant(
      {
        blocks: [
          {
            type: "tool_use",
            id: "q1",
            name: "AskUserQuestion",
            input: {
              questions: [
                {
                  question: words.asked,
                  options: [
                    { label: words.reply, description: `\`loadRates\` + \`saveRates\`: ${words.corrected}` },
                    { label: "Redis", description: words.corrected },
                  ],
                },
              ],
            },
          },
        ],
      },
      41,
    ),
    result(
      "q1",
      `User has answered your questions: "${words.asked}"="${words.reply}". You can now continue with it.`,
      42,
    ),
    calls("Write", "w1", { file_path: `${PATH}/rates.ts`, content: `${wait}\nexport const loadRates = () => 1;` }, 43),
    result("w1", "created", 43),
    says(words.kept, 44),
    user(words.correction, 50),
    edit("e4", "rates.ts", wait, "export const saveRates = (table: Table) => renameOver(RATES, dump(table));", 51),
    says(words.corrected, 52),
  ].join("");
}
