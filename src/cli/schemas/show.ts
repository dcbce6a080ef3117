export { message as show } from "./message.ts";
