import Bytes
import CommandLineText
import Contract
import LogbookStores
import Timeline

/// Which gateways have forgotten whom the logbook forgot.
package struct ErrandTable: Equatable, Sendable {
    private let errands: [Errand]
    private let calendar: ClubCalendar

    /// - Parameter calendar: of the club, whose days are shown to people.
    package init(_ errands: [Errand], calendar: ClubCalendar) {
        (self.errands, self.calendar) = (errands, calendar)
    }

    package var isDone: Bool { errands.allSatisfy { $0.athlete == nil } }

    /// A line for each, the newest last. Who is forgotten everywhere is named nowhere.
    package var lines: [StyledLine] {
        if errands.isEmpty { return [StyledLine("Nobody was to be forgotten.")] }
        return errands.map { errand in
            let day = calendar.day(of: errand.madeAt).text
            let head = StyledLine("\(day)  \(errand.gateway)  \(errand.athlete ?? "-")  ")
            switch errand.state {
            case .erased(let records, let unreadable):
                let damage =
                    unreadable == 0 ? "" : "; \(unreadable) damaged stretches cannot be read"
                return head + StyledLine("forgotten", .good)
                    + StyledLine(": \(Int(clamping: records).counted("record"))\(damage)")
            case .waiting(nil): return head + StyledLine("waits", .warning)
            case .waiting(let words?):
                return head + StyledLine("refused", .bad) + StyledLine(", asked again: \(words)")
            }
        }
    }

    /// One object, for programs.
    package var json: String {
        let bytes = JSONWriter.object { json in
            json.list("errands", of: errands) { $1.write(into: &$0) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
