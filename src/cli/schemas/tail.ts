export { message as tail } from "./message.ts";
