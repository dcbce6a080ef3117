import { parseTranscript } from "../../src/parse/parse-transcript.ts"; import { readTranscript } from "../../src/parse/read-transcript.ts";
const M=1024*1024;
async function* rep(unit:string,total:number){const b=Buffer.from(unit.repeat(Math.ceil(65536/unit.length)));for(let n=0;n<total;n+=b.length)yield b;}
const rec=JSON.stringify({type:"user",uuid:"u",message:{content:"x"}});
const cases:[string,()=>AsyncIterable<Uint8Array>,object?][]=[
 ["64MB {\" ",()=>rep('{"',64*M)],["64MB {\" all read",()=>rep('{"',64*M),{maxLineBytes:1e9}],
 ["64MB [",()=>rep('[',64*M)],["20MB [ all read",()=>rep('[',20*M),{maxLineBytes:1e9}],
 ["64MB [ lines of 4MB",async function*(){for(let i=0;i<16;i++){yield Buffer.from("[".repeat(4*M)+"\n")}}],
 ["64MB quotes/backslashes lines",async function*(){for(let i=0;i<16;i++){yield Buffer.from('{"a":"'+'\\"'.repeat(2*M)+"\n")}}],
 ["64MB backslash-quote raw",async function*(){for(let i=0;i<16;i++){yield Buffer.from('{"'+'\\'.repeat(4*M)+"\"\n")}}],
 ["64MB {\"a\":[ lines of 4MB",async function*(){for(let i=0;i<16;i++){yield Buffer.from('{"a":['.repeat(700000)+"\n")}}],
 ["64MB {\"a\":[rec lines of 4MB",async function*(){for(let i=0;i<16;i++){yield Buffer.from(('{"a":['+rec).repeat(60000)+"\n")}}],
 ["64MB {\"a\":[rec lines of 64k",async function*(){for(let i=0;i<1024;i++){yield Buffer.from(('{"a":['+rec).repeat(1000)+"\n")}}],
 ["64MB {\" lines of 64k",async function*(){for(let i=0;i<1024;i++){yield Buffer.from(('{"').repeat(32000)+"\n")}}],
 ["64MB {\"x\":{ lines of 64k",async function*(){for(let i=0;i<1024;i++){yield Buffer.from(('{"x":{').repeat(11000)+"\n")}}],
 ["64MB glued 4MB lines",async function*(){for(let i=0;i<16;i++){yield Buffer.from(Array.from({length:60000},(_, n)=>rec.replace('"u"',`"u${i}-${n}"`)).join("")+"\n")}}],
 ["64MB newlines",()=>rep('\n',64*M)],
 ["64MB x lines",()=>rep('x\n',16*M)],
 ["64MB NUL",()=>rep('\0',64*M)],["NUL lines 4MB",async function*(){for(let i=0;i<16;i++){yield Buffer.concat([Buffer.alloc(4*M),Buffer.from("\n")])}}],
 ["NUL lines 4MB + rec",async function*(){for(let i=0;i<16;i++){yield Buffer.concat([Buffer.alloc(4*M),Buffer.from(rec+"\n")])}}],
 ["same message id, 200k lines",async function*(){for(let i=0;i<200000;i++){yield Buffer.from(JSON.stringify({type:"assistant",message:{id:"m",content:[{type:"text",text:"t"+i}],usage:{output_tokens:i}}})+"\n")}}],
 ["unknown lines of 100KB x 600",async function*(){for(let i=0;i<600;i++){yield Buffer.from(JSON.stringify({type:"zzz",uuid:"u"+i,x:"y".repeat(100000)})+"\n")}}],
];
for(const [name,mk,o] of cases){
 if (process.argv[2] && !name.includes(process.argv[2])) continue;
 const a=performance.now(); let peak=0; const t=setInterval(()=>{peak=Math.max(peak,process.memoryUsage().rss)},20);
 const r=readTranscript("s",mk(),{pricing:"flat",...o}); let n=0; for await(const b of r.batches()) n+=b.length; clearInterval(t); peak=Math.max(peak,process.memoryUsage().rss);
 const s=r.summary(); console.log(name.padEnd(36),(performance.now()-a).toFixed(0).padStart(7)+" ms", (peak/M).toFixed(0)+" MB", "msgs",n,"lines",s.lines.total,"failed",s.lines.failed,"errors",s.error_count,"unknown",s.unknown_lines.length);
}
