import Bytes
import HTTPClient

/// Uploads to Concept2's logbook.
///
/// Requests and answers follow "Concept2 Logbook API" at log.concept2.com/developers/documentation (2026-09).
/// It recognizes a duplicate by its date, time and distance, and answers 409.
struct Concept2Upload: DestinationAPI {
    let address: String

    func request(for session: UploadableSession, with credentials: UploadCredentials) -> HTTPRequest? {
        guard case .tokens(let tokens) = credentials else { return nil }
        return HTTPRequest(
            .post, "\(address)/api/users/me/results", headers: Self.headers(tokens),
            body: .bytes(session.concept2Result, contentType: "application/json"))
    }

    func accountRequest(with credentials: UploadCredentials) -> HTTPRequest? {
        guard case .tokens(let tokens) = credentials else { return nil }
        return HTTPRequest(.get, "\(address)/api/users/me", headers: Self.headers(tokens))
    }

    private static func headers(_ tokens: OAuthTokens) -> [HTTPField] {
        [
            HTTPField("Authorization", "Bearer \(tokens.access)"),
            HTTPField("Accept", "application/vnd.c2logbook.v1+json"),
        ]
    }

    func accountLabel(_ answer: JSONObject) -> String? { answer.object("data")?.text("username") }

    func outcome(of answer: HTTPAnswer) -> UploadOutcome {
        let json = answer.json
        switch answer.status {
        case 201: return .uploaded(id: json.object("data")?.id("id"))
        // The same date, time and distance.
        case 409: return .uploaded(id: json.id("id"))
        case 401: return .unauthorized(json.text("message") ?? "the access was refused")
        case 400, 403, 404, 422:
            return .refused(Self.fieldErrors(json) ?? json.text("message") ?? "status \(answer.status)")
        default: return .later(after: answer)
        }
    }

    /// `distance: Please enter the distance as just a number`
    private static func fieldErrors(_ json: JSONObject) -> String? {
        guard let errors = json.object("errors") else { return nil }
        let texts = errors.members.compactMap { member -> String? in
            switch member.value {
            case .text(let text): "\(member.name): \(text)"
            case .list(let values):
                if case .text(let text)? = values.first { "\(member.name): \(text)" } else { nil }
            default: nil
            }
        }
        return texts.isEmpty ? nil : texts.joined(separator: "; ")
    }
}
