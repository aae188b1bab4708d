import TestSupport
import Testing

@testable import ControlSocket
@testable import RoomTables

@Suite struct MetricsPageTests {
    @Test func metricsAreWellFormed() {
        // Names of ergs with special characters.
        var status = StatusReply.sample
        status.gateway.id = "a\"b\\c\nd"
        let sample =
            /[a-z_]+(\{[a-z]+="([^"\\\n]|\\[\\"n])*"(,[a-z]+="([^"\\\n]|\\[\\"n])*")*\})? -?[0-9.e+-]+/
        var types: [Substring: Substring] = [:]
        for line in MetricsPage(status).text.split(separator: "\n") {
            if line.hasPrefix("# TYPE ") {
                let words = line.split(separator: " ")
                #expect(
                    types.updateValue(words[3], forKey: words[2]) == nil, "one family, one type")
            } else if !line.hasPrefix("# HELP ") {
                #expect(line.wholeMatch(of: sample) != nil, "\(line)")
                let name = line.prefix { $0 != "{" && $0 != " " }
                #expect(types[name] == (name.hasSuffix("_total") ? "counter" : "gauge"))
            }
        }
        #expect(types.count > 20)
    }

    @Test func metricsContainNothingAboutRowers() {
        let text = MetricsPage(.sample).text
        #expect(!text.contains("heart"))
        #expect(!text.contains("142"))
    }
}
