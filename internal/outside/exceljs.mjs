// Opens workbooks with exceljs, and fails if one does not open or has a sheet without a row.
// Usage: node exceljs.mjs FILE.xlsx…, in a folder where exceljs is installed.
import { createRequire } from "node:module";
import { argv, cwd, exit } from "node:process";

const ExcelJS = createRequire(cwd() + "/")("exceljs");
const files = argv.slice(2);
let failed = files.length === 0;
if (failed) console.error("exceljs: no workbook was named");
for (const file of files) {
	try {
		const book = new ExcelJS.Workbook();
		await book.xlsx.readFile(file);
		const sheets = book.worksheets.map((sheet) => `${sheet.name}: ${sheet.actualRowCount} rows`);
		if (sheets.length === 0 || book.worksheets.some((sheet) => sheet.actualRowCount === 0)) {
			throw new Error("a sheet has no row (" + sheets.join(", ") + ")");
		}
		console.log(`${file}: ${sheets.join(", ")}`);
	} catch (error) {
		failed = true;
		console.error(`${file}: ${error.message}`);
	}
}
exit(failed ? 1 : 0);
