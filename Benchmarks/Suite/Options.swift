/// The options of the command line.
struct Options {
  struct Failure: Error {
    var message: String
  }

  static let usage = """
    usage: benchmark [--filter TEXT] [--quick] [--json FILE]
                     [--check-allocations] [--list]
                     [--turns] [--write-inputs FOLDER]
           benchmark score NAME …

      --filter TEXT        only what has TEXT in its name
      --quick              5 short samples instead of 15: to see that everything runs
      --json FILE          also write the results, in the shape of Google Benchmark
      --check-allocations  exit 1 when an entry that promises not to allocate does
      --list               print the names and measure nothing
      --turns              measure one sample of each entry that a line of the input names
      --write-inputs FOLDER  write what peers are measured on as NumPy's arrays

    'benchmark score --help' lists what is scored against references.
    """

  var filter = ""
  var json: String?
  var isQuick = false
  var checksAllocations = false
  var listsOnly = false
  var takesTurns = false
  var inputs: String?
  var showsHelp = false

  init(_ arguments: [String]) throws(Failure) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--filter": filter = try Self.value(of: argument, &rest)
      case "--json": json = try Self.value(of: argument, &rest)
      case "--quick": isQuick = true
      case "--check-allocations": checksAllocations = true
      case "--list": listsOnly = true
      case "--turns": takesTurns = true
      case "--write-inputs": inputs = try Self.value(of: argument, &rest)
      case "--help", "-h": showsHelp = true
      default: throw Failure(message: "unknown option \(argument)")
      }
    }
  }

  private static func value(
    of option: String, _ rest: inout ArraySlice<String>
  ) throws(Failure) -> String {
    guard let value = rest.popFirst() else { throw Failure(message: "\(option) needs a value") }
    return value
  }
}
