import Bytes
import HTTPClient

/// The requests to a service and the meaning of its answers. It has no clock and sends nothing.
package protocol DestinationAPI: Sendable {
    /// Returns the request that uploads a session; nil if the credentials are of another kind.
    func request(for session: UploadableSession, with credentials: UploadCredentials) -> HTTPRequest?

    /// Returns what the answer to `request` or `statusRequest` means.
    func outcome(of answer: HTTPAnswer) -> UploadOutcome

    /// Returns the request for the state of an upload that the service is processing; nil if it never is.
    func statusRequest(_ id: String, with credentials: UploadCredentials) -> HTTPRequest?

    /// Returns a request that succeeds with valid credentials only; nil if they are of another kind, or the service
    /// has no such request.
    func accountRequest(with credentials: UploadCredentials) -> HTTPRequest?

    /// Returns the name of the account from the answer to `accountRequest`; nil if it has none.
    func accountLabel(_ answer: JSONObject) -> String?
}

extension DestinationAPI {
    package func statusRequest(_ id: String, with credentials: UploadCredentials) -> HTTPRequest? { nil }
}

extension UploadOutcome {
    /// Another attempt after an answer that says nothing about the session, such as 429 and 503.
    static func later(after answer: HTTPAnswer) -> UploadOutcome {
        let delay = answer.header("Retry-After").flatMap { Int64($0) }
        if answer.status == 429 { return .later("too many requests", delay: delay) }
        return .later("the service answered with status \(answer.status)", delay: delay)
    }
}

extension HTTPAnswer {
    /// The body as a JSON object; empty if it is none.
    var json: JSONObject { (try? JSONObject(parsing: body)) ?? .empty }
}

extension JSONObject {
    /// The member that is an object; nil if it is none.
    func object(_ name: String) -> JSONObject? {
        if case .object(let object) = self[name] { object } else { nil }
    }

    /// An id that is a text or a number; nil for anything else.
    func id(_ name: String) -> String? { text(name) ?? number(name).map { "\($0)" } }
}
