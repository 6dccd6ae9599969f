/** Names and versions of the packages below which THIRD-PARTY-NOTICES has the text of a licence, sorted. */
export function titlesWithLicence(notices: string): readonly string[] {
  const sections = notices.split(`\n\n${'-'.repeat(80)}\n\n`).slice(1, -1);
  const titles = sections.flatMap((section) => {
    const [packages = '', ...licences] = section.split('\n\n');
    return licences.join('').length > 300 ? packages.split('\n') : [];
  });
  return [...new Set(titles)].map((title) => title.replace(/ \([^)]*\)+$/, '')).sort();
}
