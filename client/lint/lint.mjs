// Checks the description of the interface by the recommended rules of Redocly, errors and
// warnings alike. Ids of mails are numbers, so the two addresses that look alike are not.
import { createConfig, lint } from "@redocly/openapi-core";

const config = await createConfig({
  extends: ["recommended-strict"],
  rules: { "no-ambiguous-paths": "off", "operation-4xx-response": "off" },
});
const problems = await lint({ ref: process.argv[2], config });
for (const p of problems) {
  console.error(`${p.severity} ${p.ruleId} ${p.location[0]?.pointer ?? ""}: ${p.message}`);
}
process.exit(problems.length > 0 ? 1 : 0);
