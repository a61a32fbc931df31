import LocomotionActivityRecognition

/// The style sheet of the page.
package enum ReportStyle {
  /// The hash by which the content security policy admits ``sheet``: SHA-256, Base64.
  package static let hash = "sha256-5WEdKxeuW5tLnlbVpc0VNK5hJ+wqxdZwKDYaP09KlQA="

  /// The whole style sheet, built once from the palette.
  package static let sheet = Markup(stringLiteral: colours + layout + drawings + media)

  private static let kinds: [Activity?] = Activity.allCases.map(Optional.init) + [nil]

  private static var colours: String {
    func list(_ colour: (Activity?) -> String) -> String {
      kinds.map { "--\(ReportPalette.name($0)):\(colour($0));" }.joined()
    }
    let classes = kinds.map { kind in
      let name = ReportPalette.name(kind)
      let dash = ReportPalette.dash(kind)
      return ".f-\(name){fill:var(--\(name))}.b-\(name){background:var(--\(name))}"
        + ".s-\(name){stroke:var(--\(name))"
        + (dash.isEmpty ? "}" : ";stroke-dasharray:\(dash)}")
    }
    let variables = """
      :root{--page:#fbfaf8;--panel:#f3f1ec;--ink:#1d1e20;--soft:#64676d;--hair:#e4e1da;\
      --stay:#d3d5d6;--on-stay:#3b3f45;--casing:#f3f1ec;--accent:#3a5a78;--lit:#e8ecef;\
      --silent:#e9e9e9;\
      \(list(ReportPalette.light))}
      @media screen and (prefers-color-scheme:dark){:root{--page:#141619;--panel:#1c1f23;--ink:#eceae6;\
      --soft:#9ca1a8;--hair:#2b2f35;--stay:#41464d;--on-stay:#e3e4e6;--casing:#1c1f23;\
      --accent:#9dbcd6;--lit:#262c33;--silent:#282c30;\(list(ReportPalette.dark))}}

      """
    // As an area, rest has the colour of the stays, because it is the background.
    let rest = ".f-stationary{fill:var(--stay)}.b-stationary{background:var(--stay)}\n"
    return variables + classes.joined(separator: "\n") + "\n" + rest
  }

  private static let layout = """
    *{box-sizing:border-box}
    body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,-apple-system,\
    "Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums;\
    -webkit-text-size-adjust:100%}
    main{max-width:1088px;margin:0 auto;padding:clamp(28px,7vw,72px) 24px 56px}
    .eyebrow{margin:0;color:var(--soft);font-size:14px;letter-spacing:.01em}
    h1{margin:6px 0 10px;font-size:clamp(28px,5.2vw,44px);line-height:1.12;font-weight:600;\
    letter-spacing:-.022em;overflow-wrap:anywhere}
    .lede{margin:0;color:var(--soft);font-size:18px;max-width:44em}
    .figures{display:grid;grid-template-columns:repeat(4,1fr);gap:0 28px;margin:40px 0 0}
    .figures div{border-top:1px solid var(--ink);padding-top:10px}
    .figures dt{color:var(--soft);font-size:13px}
    .figures dd{margin:2px 0 0;font-size:26px;line-height:1.25;font-weight:600;\
    letter-spacing:-.015em}
    .figures small{display:block;margin-top:4px;color:var(--soft);font-size:13px;font-weight:400;\
    letter-spacing:0;line-height:1.4}
    section{margin-top:64px}
    h2,.t2{margin:0 0 18px;color:inherit;font-size:22px;line-height:1.25;font-weight:600;letter-spacing:-.012em}
    h3,.t3{margin:28px 0 8px;color:inherit;font-size:14px;font-weight:600}
    figure{margin:0}
    figure svg{display:block;width:100%;height:auto;overflow:visible}
    .note{margin:0 0 12px;color:var(--soft);max-width:44em}
    .legend+.note,figure+.note{margin-top:28px}
    .legend{display:flex;flex-wrap:wrap;gap:4px 20px;margin:14px 0 0;padding:0;list-style:none;\
    color:var(--soft);font-size:13px}
    .legend li{display:flex;align-items:center;gap:7px}
    .key{width:36px;height:10px;flex:none}
    .swatch{display:inline-block;width:14px;height:14px;border-radius:3px;flex:none}
    i.stay{background:var(--stay)}
    i.gap{border:1px dashed var(--soft)}
    i.silent{background:linear-gradient(90deg,var(--stay) 50%,var(--silent) 0)}
    .story{margin:36px 0 0;padding:0;list-style:none}
    .story>li{display:grid;grid-template-columns:90px 26px 1fr;gap:0 14px;position:relative;\
    padding-bottom:22px}
    .story>li:last-child{padding-bottom:0}
    .story .when{color:var(--soft);text-align:right;line-height:26px;font-size:14px}
    .story time{white-space:nowrap}
    .story.twelve>li{grid-template-columns:142px 26px 1fr}
    .story.twelve>li::before{left:168.5px}
    .story b{width:26px;height:26px;border-radius:13px;background:var(--stay);\
    color:var(--on-stay);font-size:13px;line-height:26px;text-align:center;font-weight:600}
    .story .way>b{background:none;border:1px solid var(--soft);line-height:24px;\
    color:var(--ink);font-size:12px}
    .way.lit{background:var(--lit);border-radius:8px;box-shadow:0 0 0 6px var(--lit)}
    .title[role]{cursor:pointer}
    .title[role]:hover{text-decoration:underline;text-decoration-color:var(--soft);\
    text-underline-offset:3px}
    :focus-visible{outline:2px solid var(--accent);outline-offset:3px;border-radius:4px}
    .story .gap>b{background:none;border:1px dashed var(--soft);line-height:24px;\
    color:var(--soft)}
    .story>li::before{content:"";position:absolute;left:116.5px;top:30px;bottom:4px;width:1px;\
    background:var(--hair)}
    .story>li:last-child::before{display:none}
    .story strong{font-weight:600;line-height:26px;margin-right:6px}
    .story span{color:var(--soft)}
    .story .purpose{margin:0;font-style:italic}
    .pair{margin-top:36px}
    .pair .beside{margin-top:40px}
    .time{touch-action:pan-y}
    .seek{display:block;width:100%;height:24px;margin:6px 0 0;accent-color:var(--accent)}
    .story .now>b{outline:2px solid var(--accent);outline-offset:2px}
    .neighbours{display:flex;justify-content:space-between;gap:20px;margin:0;font-size:14px}
    .neighbours a{color:inherit;text-underline-offset:3px;text-decoration-color:var(--soft)}
    .neighbours [rel=next]{margin-left:auto}
    .story small{display:block;color:var(--soft);font-size:13px;line-height:1.45;\
    margin-bottom:3px}
    .beside>:first-child{margin-top:0}
    h4,.t4{margin:14px 0 6px;font-size:13px;font-weight:400;color:var(--soft)}
    .map{position:relative;touch-action:pan-x pan-y}
    .map svg{overflow:hidden;border-radius:10px}
    .map.zoomed{touch-action:none}
    .map.zoomed svg{cursor:grab}
    .insets{display:grid;gap:0 12px}
    .tools{display:flex;justify-content:flex-end;gap:6px;margin-top:8px}
    .insets .tools{display:none}
    .tools button{width:34px;height:34px;padding:0;border:1px solid var(--hair);\
    border-radius:8px;background:var(--page);color:var(--ink);font:18px/32px system-ui,sans-serif;\
    cursor:pointer}
    .tools .save{width:auto;padding:0 12px;font-size:13px}
    .tools button:hover{background:var(--lit)}
    figcaption{margin-top:6px;color:var(--soft);font-size:12px}
    .status{margin:10px 0 0;min-height:1.5em;color:var(--soft);font-size:13px}
    .badge{min-width:22px;height:22px;padding:0 6px;border-radius:11px;background:var(--ink);\
    color:var(--page);font-size:12px;line-height:22px;text-align:center;font-weight:600;flex:none}
    .places{overflow-wrap:anywhere}
    .story ul{margin:4px 0 0;padding:0;list-style:none;font-size:15px}
    .story ul li{display:grid;grid-template-columns:36px 1fr;gap:0 9px}
    .story .key{margin-top:7px}
    .splits{margin:2px 0 8px}
    .splits summary{color:var(--soft);font-size:13px;cursor:pointer;width:max-content}
    .splits table{max-width:320px;font-size:13px;margin-top:4px}
    .splits tbody th,.splits tbody td{padding-top:3px;padding-bottom:3px}
    .splits td:not(.bar){min-width:0}
    .splits .bar{width:36%;padding-left:12px}
    table{width:100%;border-collapse:collapse;font-size:15px}
    th{font-weight:400;text-align:left;overflow-wrap:anywhere}
    th small{display:block;color:var(--soft);font-size:13px}
    td,thead th+th,thead td+th{text-align:right;white-space:nowrap;padding-left:20px}
    table td{overflow-wrap:anywhere}
    td:not(.bar){min-width:5.5em}
    thead th{color:var(--soft);font-size:13px;padding-bottom:6px}
    tbody tr{border-top:1px solid var(--hair)}
    tbody th,tbody td{padding-top:9px;padding-bottom:9px;vertical-align:baseline}
    .totals .bar{width:42%}
    .bar svg{display:block;width:100%;height:8px}
    .bar rect.gap{fill:var(--soft);opacity:.45}
    .calendar{margin:0;padding:0;list-style:none;font-size:14px}
    .calendar li{display:grid;grid-template-columns:124px minmax(0,1fr) 76px 72px;gap:0 14px;\
    align-items:center;padding:3px 0}
    .calendar .monday{margin-top:12px}
    .calendar .month{margin-top:28px}
    .calendar .month:nth-child(2){margin-top:6px}
    .calendar .month h3{margin:0;grid-column:span 2}
    .calendar .month .value{font-weight:600}
    .calendar a{color:inherit;text-underline-offset:3px;text-decoration-color:var(--soft)}
    .calendar a,.calendar .none,.calendar small,.calendar .value{white-space:nowrap}
    .calendar .value{text-align:right}
    .calendar small{color:var(--soft);font-size:13px}
    .calendar .none{color:var(--soft)}
    .calendar svg{display:block;width:100%;height:20px}
    .calendar .tick{stroke:var(--page);stroke-width:1;vector-effect:non-scaling-stroke}
    .calendar .empty{fill:none;stroke:var(--hair);vector-effect:non-scaling-stroke}
    .hours{display:flex;color:var(--soft);font-size:12px}
    .hours span{flex:none;width:24%}
    .hours.even span{width:25%}
    .bars rect{shape-rendering:crispEdges}
    .table{overflow-x:auto}
    .fold{margin-top:14px}
    .fold summary,.day>summary{cursor:pointer}
    .fold summary{color:var(--soft);font-size:14px}
    .day{border-top:1px solid var(--hair)}
    .day>summary{padding:14px 0}
    .day>summary h3{display:inline;margin:0 10px 0 0;font-size:16px}
    .day>summary span{color:var(--soft);font-size:14px}
    .day section:first-child{margin-top:14px}
    .day[open]{padding-bottom:48px}
    footer{margin-top:72px;padding-top:16px;border-top:1px solid var(--hair);color:var(--soft);\
    font-size:13px}
    footer p{margin:0;max-width:52em}

    """

  private static let drawings = """
    svg text{font-family:inherit;font-size:12px;fill:var(--soft)}
    .halo{paint-order:stroke;stroke:var(--page);stroke-width:4px;stroke-linejoin:round}
    .ground-halo{stroke:var(--panel)}
    .hair,.grid{stroke:var(--hair);fill:none;stroke-width:1;shape-rendering:crispEdges}
    .grid{opacity:.75}
    .base{stroke:var(--soft);fill:none;stroke-width:1;opacity:.5;shape-rendering:crispEdges}
    rect.stay{fill:var(--stay)}
    rect.gap{fill:var(--page)}
    rect.silent{fill:var(--page);opacity:.55;pointer-events:none}
    .hatch{stroke:var(--soft);stroke-width:1;fill:none;opacity:.55}
    svg .letter{fill:var(--on-stay);font-size:14px;font-weight:600}
    rect.unnamed{fill:var(--hair)}
    .hair.over{opacity:.5}
    .ground{fill:var(--panel)}
    .defs{position:absolute}
    .geo,.aside,.reach,.inset{vector-effect:non-scaling-stroke}
    .casing{fill:none;stroke:var(--casing);stroke-width:9;stroke-linejoin:round;\
    stroke-linecap:round}
    .under{fill:none;stroke-width:3.4;stroke-linejoin:round;stroke-linecap:round;\
    opacity:.34}
    .under.under{stroke-dasharray:none}
    .link{fill:none;stroke-width:2;opacity:.75}
    .link.link{stroke-dasharray:2 5}
    .leg{cursor:pointer}
    .lit .casing{stroke-width:12}
    .lit .track,.lit .under{stroke-width:5}
    .lit .under{opacity:.6}
    .lighted .leg:not(.lit),.lighted .arrow:not(.lit),.lighted .end:not(.lit),\
    .lighted .number:not(.lit){opacity:.25}
    .lighted rect[data-t]:not(.lit):not(.band){opacity:.35}
    .arrow{stroke:var(--casing);stroke-width:1.4;paint-order:stroke;pointer-events:none}
    .end{stroke-width:2.4;stroke-dasharray:none}
    .end.end{stroke-dasharray:none}
    .end.from{fill:var(--casing)}
    .end.to{fill:var(--casing);stroke-width:4.4}
    .number{cursor:pointer}
    .number rect{fill:var(--page);stroke-width:1.8}
    .number rect[class]{stroke-dasharray:none}
    svg .number text,svg .trip{fill:var(--ink);font-size:11px;font-weight:600}
    .number.lit rect{fill:var(--ink)}
    .number.lit text{fill:var(--page)}
    .trip,rect[data-t]{cursor:pointer}
    .trip.lit{text-decoration:underline}
    .inset{fill:none;stroke:var(--soft);stroke-width:1;stroke-dasharray:2 3}
    .band{fill:var(--accent);opacity:0}
    .band.lit{opacity:.2}
    .tiles image{image-rendering:auto}
    .track{fill:none;stroke-width:3.4;stroke-linejoin:round;stroke-linecap:round}
    .track.s-running,.track.s-cycling{stroke-linecap:butt}
    .reach{fill:var(--ink);opacity:.09}
    .place{fill:var(--ink);stroke:var(--casing);stroke-width:2}
    svg .mark{fill:var(--page);font-weight:600}
    .scale{fill:none;stroke:var(--soft);stroke-width:1.4}
    .north{fill:var(--soft)}
    .curve{fill:none;stroke:var(--accent);stroke-width:1.5;stroke-linejoin:round}
    .below{fill:var(--accent);opacity:.13}
    .cursor{stroke:var(--ink);fill:none;stroke-width:1;shape-rendering:crispEdges;\
    pointer-events:none}
    svg .reading{fill:var(--ink);font-weight:600;pointer-events:none}
    .spot{fill:var(--accent);stroke:var(--page);stroke-width:2.5;pointer-events:none}
    .spread{fill:var(--accent);opacity:.2}
    .corrected{fill:none;stroke:var(--ink);stroke-width:3}
    .dots{fill:none;stroke:var(--walking);stroke-width:2.6;stroke-linecap:round}
    figure .narrow{display:none}

    """

  private static let media = """
    @media (min-width:1080px){
    .pair{display:grid;grid-template-columns:minmax(0,1fr) 560px;gap:0 44px}
    .beside{grid-column:2;grid-row:1;position:sticky;top:20px;align-self:start}
    .pair .story{grid-column:1;grid-row:1;margin-top:0}
    .pair .beside{margin-top:0}
    }
    @media (min-width:641px){
    .beside{max-width:700px}
    .insets.n2{grid-template-columns:repeat(2,1fr)}
    .insets.n3{grid-template-columns:repeat(3,1fr)}
    }
    @media (pointer:coarse){.tools button{width:44px;height:44px;line-height:44px}}
    @media screen and (prefers-color-scheme:dark){.tiles{filter:brightness(.75) saturate(.7)}}
    @media (max-width:640px){
    main{padding-left:18px;padding-right:18px}
    .figures{grid-template-columns:repeat(2,1fr);gap:24px 20px;margin-top:30px}
    .figures dd{font-size:23px}
    section{margin-top:52px}
    figure .wide{display:none}
    figure .narrow{display:block}
    .story>li{grid-template-columns:48px 26px 1fr;gap:0 10px}
    .story .when{line-height:20px;padding-top:3px}
    .story>li::before{left:70.5px}
    .story.twelve>li{grid-template-columns:68px 26px 1fr}
    .story.twelve>li::before{left:90.5px}
    .totals .bar{display:none}
    .calendar{font-size:13px}
    .calendar li{grid-template-columns:76px minmax(0,1fr) 60px;gap:0 8px}
    .calendar .steps{display:none}
    td,thead th+th,thead td+th{padding-left:12px}
    td:not(.bar){min-width:0}
    table td{white-space:normal}
    .totals td{white-space:nowrap}
    }
    @media print{
    :root{--page:#fff;--casing:#f6f6f4;--panel:#f6f6f4}
    body{font-size:11pt;print-color-adjust:exact;-webkit-print-color-adjust:exact}
    main{max-width:none;padding:0}
    figure .wide{display:block}
    figure .narrow,.tools,.status,.seek,.cursor,.reading,.spot,.neighbours{display:none}
    .pair{display:block}
    .beside{position:static;max-width:560px}
    .figures dd{font-size:15pt}
    section{margin-top:28pt}
    details:not(.day)::details-content{content-visibility:visible;display:block;height:auto}
    figure,tr,.story>li,h2,h3,h4,.calendar li{break-inside:avoid}
    h2,h3,h4,h5{break-after:avoid}
    }
    @page{margin:18mm}

    """
}
