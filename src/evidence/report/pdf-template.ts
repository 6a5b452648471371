/** Typst's layout, on A4 (https://typst.app/docs), of `/report.json` and `/pictures.json`, neither read as markup. */
export const PDF_TEMPLATE = String.raw`
#let report = json("/report.json")
#let pictures = json("/pictures.json")
#let quiet = rgb("#5a626b")
#let gap = 12pt
#let direction(it) = if it.isRightToLeft { rtl } else { ltr }
#let write(it) = text(font: it.families, dir: direction(it), it.text)
// A text over the whole width: one that runs to the left begins at the right.
#let aligned(it) = {
  set text(dir: direction(it))
  set align(start)
  write(it)
}
// Blocks that must stay on one page: a heading alone at its foot, or a finding without its picture, misleads.
#let kept(above: 6pt, below: 6pt, sticky: false, body) = block(above: above, below: below, sticky: sticky, breakable: false, width: 100%, body)
#let rows-kept = 12
#let drawn(figure, width, height) = {
  let path = pictures.at(figure.picture)
  block(breakable: false, {
    layout(_ => context {
      let size = measure(image(path))
      let scale = calc.min(width / size.width, height / size.height)
      image(path, width: size.width * scale)
    })
    v(3pt, weak: true)
    set text(size: 9pt, fill: quiet)
    write(figure.caption)
  })
}

#let title(it) = kept(below: 16pt, text(size: 20pt, weight: "semibold", aligned(it.text)))
#let heading(it) = if it.level == 1 {
  kept(above: 22pt, below: 10pt, sticky: true, {
    line(length: 100%, stroke: 1.2pt)
    text(size: 15pt, weight: "semibold", aligned(it.text))
  })
} else {
  kept(above: 14pt, below: 7pt, sticky: true, text(size: 11pt, weight: "semibold", aligned(it.text)))
}
#let finding(it) = kept(above: 12pt, below: 10pt, sticky: true, text(size: 14pt, weight: "semibold", aligned(it.text)))
#let paragraph(it, sticky) = block(above: 7pt, below: 8pt, sticky: sticky, width: 100%, {
  set text(size: 9pt, fill: quiet) if it.at("isQuiet", default: false)
  aligned(it.text)
})
#let list-of(it) = block(breakable: it.items.len() > rows-kept, list(..it.items.map(write)))
#let thumbnails(it) = for item in it.items {
  let picture = if item.data == none { [•] } else { image(item.data, width: 48pt, height: 48pt, fit: "contain") }
  kept(grid(columns: (if item.data == none { auto } else { 48pt }, 1fr), column-gutter: 8pt, picture, write(item.text)))
}
#let facts(it) = block(breakable: it.rows.len() > rows-kept, {
  show table.cell: set block(breakable: false)
  table(columns: (130pt, 1fr), stroke: none, inset: (x: 0pt, y: 3pt), align: left, ..it.rows.map(row => (
    text(fill: quiet, write(row.name)),
    // Hashes break anywhere: they have no spaces.
    if row.at("isCode", default: false) {
      text(size: 8.5pt, row.value.text.clusters().chunks(64).map(part => part.join()).join("\n"))
    } else { write(row.value) },
  )).flatten())
})
#let table-of(it) = block(breakable: it.rows.len() > rows-kept, {
  let widths = it.at("widths", default: it.head.map(_ => "*"))
  set text(size: 9pt)
  set par(leading: 0.5em)
  table(
    columns: widths.map(width => if width == "auto" { auto } else { 1fr }),
    stroke: (x, y) => if y > 0 { (top: 0.6pt + rgb("#d8dce0")) },
    inset: (left: 0pt, right: 8pt, y: 4pt),
    table.header(..it.head.map(text-of => text(weight: "semibold", aligned(text-of)))),
    ..it.rows.flatten().map(aligned),
  )
})
#let gauge(it, sticky) = kept(below: 10pt, sticky: sticky, {
  let width = 300pt
  let mark(x, fill) = place(dx: x * width - 1.5pt, rect(width: 3pt, height: 15pt, fill: fill))
  block(width: width, height: 15pt, {
    place(dy: 3pt, rect(width: width, height: 9pt, radius: 4pt, fill: gradient.linear(rgb("#2f6fb3"), rgb("#d9dde1"), rgb("#b8403a"))))
    for x in it.marks { mark(x, rgb("#1a1d214d")) }
    mark(it.place, rgb("#1a1d21"))
  })
  v(5pt, weak: true)
  block(width: width, grid(
    columns: (60pt, 1fr, 60pt), align: (left, center, right),
    write(it.human), text(weight: "semibold", write(it.text)), write(it.artificial),
  ))
})
#let figures(it, sticky) = {
  let there = it.figures.filter(figure => figure.picture in pictures)
  for figure in there.filter(figure => figure.at("isWide", default: false)) { kept(sticky: sticky, drawn(figure, 170mm, 600pt)) }
  let narrow = there.filter(figure => not figure.at("isWide", default: false))
  let width = (170mm - gap) / 2
  if narrow.len() > 0 {
    block(sticky: sticky, grid(columns: (width, width), gutter: gap, ..narrow.map(figure => drawn(figure, width, 190pt))))
  }
}

#set document(title: report.title, date: none)
#set page(
  paper: "a4",
  margin: (left: 20mm, top: 18mm, right: 20mm, bottom: 20mm),
  footer: context text(size: 7.5pt, fill: quiet, report.footer
    .replace("{page}", str(counter(page).get().first()))
    .replace("{pages}", str(counter(page).final().first()))),
)
#set text(font: "Noto Sans", size: 10pt, lang: report.language)
#set par(leading: 0.6em)
// The picture, the finding and the sentences behind the heading of a file.
#let is-opening(it) = it.type in ("finding", "gauge", "paragraph") or it.type == "figures" and it.figures.len() == 1
#let opens = false
#for it in report.blocks {
  opens = it.type == "heading" and it.level == 1 or opens and is-opening(it)
  if it.type == "title" { title(it) }
  if it.type == "heading" { heading(it) }
  if it.type == "finding" { finding(it) }
  if it.type == "paragraph" { paragraph(it, opens) }
  if it.type == "list" { list-of(it) }
  if it.type == "thumbnails" { thumbnails(it) }
  if it.type == "facts" { facts(it) }
  if it.type == "table" { table-of(it) }
  if it.type == "gauge" { gauge(it, opens) }
  if it.type == "figures" { figures(it, opens) }
}
`;
