import Bytes
import HTTPClient
import Timeline

/// Reads an athlete's planned workouts from the calendar of intervals.icu. It has no clock and sends nothing.
///
/// The request follows the service's OpenAPI description: `GET /api/v1/athlete/{id}/events`, right `CALENDAR:READ`.
/// `resolve=true` adds targets in watts, beats per minute and metres per second.
package struct IntervalsICUCalendar: Sendable {
    let address: String

    /// What an answer means.
    package enum Outcome: Equatable, Sendable {
        case events(IntervalsICUEvents)
        /// The service does not accept the credentials.
        case unauthorized(String)
        /// Another attempt may succeed. `delay` is what the service asks for: seconds.
        case later(String, delay: Int64? = nil)
    }

    /// Returns the request for the planned workouts of some days; nil if the credentials are of another kind.
    package func request(
        for days: ClosedRange<CalendarDay>, with credentials: UploadCredentials
    ) -> HTTPRequest? {
        let range = "oldest=\(days.lowerBound.text)&newest=\(days.upperBound.text)"
        return IntervalsICUUpload.authorized(
            HTTPRequest(
                .get, "\(address)/api/v1/athlete/0/events?\(range)&category=WORKOUT&resolve=true"),
            credentials)
    }

    /// - Parameter days: those of the request; the service may answer with more.
    package func outcome(of answer: HTTPAnswer, for days: ClosedRange<CalendarDay>) -> Outcome {
        switch answer.status {
        case 200..<300:
            guard let events = IntervalsICUEvents(parsing: answer.body, on: days) else {
                return .later("the service answered without a list of events")
            }
            return .events(events)
        case 401, 403: return .unauthorized(answer.json.text("error") ?? "the key is not accepted")
        default:
            guard case .later(let reason, let delay) = UploadOutcome.later(after: answer) else {
                preconditionFailure("the outcome is another attempt")
            }
            return .later(reason, delay: delay)
        }
    }
}
