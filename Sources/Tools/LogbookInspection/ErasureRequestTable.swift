import Bytes
import CommandLineText
import Contract
import LogbookStores
import Timeline

/// The state of erasure requests to gateways.
package struct ErasureRequestTable: Equatable, Sendable {
    private let requests: [ErasureRequest]
    private let calendar: ClubCalendar

    /// - Parameter calendar: the club's calendar, for days in the output for people.
    package init(_ requests: [ErasureRequest], calendar: ClubCalendar) {
        (self.requests, self.calendar) = (requests, calendar)
    }

    package var isDone: Bool { requests.allSatisfy { $0.athlete == nil } }

    /// One line for each request, newest last. Completed requests do not name the athlete.
    package var lines: [StyledLine] {
        if requests.isEmpty { return [StyledLine("No erasure requests.")] }
        return requests.map { request in
            let day = calendar.day(of: request.madeAt).text
            let head = StyledLine("\(day)  \(request.gateway)  \(request.athlete ?? "-")  ")
            switch request.state {
            case .erased(let records, let unreadable):
                let damage =
                    unreadable == 0 ? "" : "; \(unreadable) damaged ring sections cannot be read"
                return head + StyledLine("erased", .good)
                    + StyledLine(": \(Int(clamping: records).counted("record"))\(damage)")
            case .waiting(nil): return head + StyledLine("pending", .warning)
            case .waiting(let refusal?):
                return head + StyledLine("refused", .bad) + StyledLine(", retrying: \(refusal)")
            }
        }
    }

    /// JSON object for programs.
    package var json: String {
        let bytes = JSONWriter.object { json in
            json.list("errands", of: requests) { $1.write(into: &$0) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
