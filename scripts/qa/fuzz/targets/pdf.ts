import { deflateSync } from "node:zlib";
import { extractText } from "../../../../src/engine/pdf/extract.js";
import { enterSandbox } from "../../../../src/engine/pdf/sandbox.js";
import { firstExtraObject, pdfOf, pdfOfObjects, streamOf } from "../../../../test/kit/models/pdf-writer.js";
import { check } from "../../checks/violation.js";
import { toLabel, type FuzzTarget } from "../target.js";

const sandbox = enterSandbox();
const { getDocument } = await import("unpdf/pdfjs");

const charsMax = 4_000_000;
const problems =
  /^(is damaged, or not a PDF file|is encrypted; send it without a password|has no text: [\w ,.:]+|has \d+ pages, more than the 1000 that are read of a file|has more text than the 4000000 characters that are read of a file)$/;

/** Small files of the kinds that programs write. */
function seeds(): readonly Uint8Array[] {
  const content = deflateSync(
    Buffer.from("BT /F1 12 Tf 72 700 Td [(Com) -20 (pressed)] TJ T* (Next) ' ET /X Do"),
  );
  return [
    pdfOf([["Hello (World)", "Second"], ["Page two"]]),
    pdfOf(
      [
        [
          { text: "last", y: 100 },
          { text: "first", y: 700 },
        ],
        [],
      ],
      { isCompressed: true },
    ),
    pdfOf([["AB"]], {
      font: `<</Type/Font/Subtype/Type0/BaseFont/F/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/F/DW 500/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>]/ToUnicode ${firstExtraObject(1)} 0 R>>`,
      extra: [
        streamOf(
          Buffer.from(
            "begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0001> <0009> <0041> endbfrange endcmap",
          ),
        ),
      ],
      encode: () => "<00010002>",
    }),
    pdfOf([["Hello"]], {
      trailer: `/Encrypt ${firstExtraObject(1)} 0 R/ID[<${"00".repeat(16)}><${"00".repeat(16)}>]`,
      extra: [`<</Filter/Standard/V 1/R 2/O<${"11".repeat(32)}>/U<${"22".repeat(32)}>/P -4>>`],
    }),
    pdfOfObjects([
      "<</Type/Catalog/Pages 2 0 R>>",
      "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 612 792]>>",
      "<</Type/Page/Parent 2 0 R/Contents[4 0 R]/Resources<</XObject<</X 5 0 R>>/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding<</Differences[65/Adieresis]>>>>>>>>>>",
      streamOf(content, "/Filter/FlateDecode"),
      streamOf(
        Buffer.from("BT /F1 9 Tf 0 0 Td (A form) Tj ET"),
        "/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Matrix[1 0 0 1 9 9]",
      ),
    ]),
  ];
}

export const target: FuzzTarget = {
  guarantee: "a file gives the text of its pages, within the limits, or a stated reason",
  format: "bytes",
  bytesMax: 4096,
  msMax: 20_000,
  corpus: "pdf",
  words: [
    "%PDF-1.7",
    "endobj",
    "endstream",
    "xref",
    "trailer",
    "startxref",
    "/Filter",
    "/FlateDecode",
    "/LZWDecode",
    "/ASCII85Decode",
    "/RunLengthDecode",
    "/ObjStm",
    "/XRef",
    "/Prev 0",
    "/Kids[2 0 R]",
    "/Count 99999999",
    "/Encrypt",
    "/Type3",
    "/CharProcs",
    "/ToUnicode",
    "/Widths",
    "BT",
    "ET",
    "Tj",
    "TJ",
    "Do",
    "BI ID EI",
  ],
  seeds,
  async run(input) {
    const outcome = await extractText(getDocument, Uint8Array.from(input));
    if (sandbox.takeExceeded()) return "too many bytes";
    if (outcome.type === "refused") {
      check(problems.test(outcome.problem), () => `the reason is ${outcome.problem}`);
      return toLabel(outcome.problem);
    }
    const { pages } = outcome;
    check(pages.join("").length <= charsMax, () => "the text is longer than it may be");
    check(
      pages.every((page) => !/(?![\t\n])\p{Cc}/u.test(page)),
      () => `the text has control characters: ${JSON.stringify(pages)}`,
    );
    check(
      pages.some((page) => page !== ""),
      () => "a file without text is accepted",
    );
    return `${pages.length} pages`;
  },
};
