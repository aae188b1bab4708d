/// Metrics in Prometheus' text exposition format, 0.0.4.
package struct PrometheusText: Sendable {
    package typealias Label = (name: String, value: String)
    /// nil if unknown.
    package typealias Sample = (labels: [Label], value: Double?)

    private var lines: [String] = []

    package init() {}

    /// The page as it is served, each line with its end.
    package var text: String { lines.map { $0 + "\n" }.joined() }

    /// A family without samples is left out.
    package mutating func family(
        _ name: String, _ type: String, _ help: String, _ samples: [Sample]
    ) {
        let known = samples.filter { $0.value != nil }
        guard !known.isEmpty else { return }
        lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"]
        for sample in known {
            let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
            let braces = labels.isEmpty ? "" : "{" + labels.joined(separator: ",") + "}"
            lines.append("\(name)\(braces) \(Self.number(sample.value ?? 0))")
        }
    }

    /// Without the ".0" that whole numbers would get.
    private static func number(_ value: Double) -> String {
        Int(exactly: value).map(String.init) ?? "\(value)"
    }

    private static func escaped(_ value: String) -> String {
        value.map { character in
            switch character {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            default: String(character)
            }
        }.joined()
    }
}
