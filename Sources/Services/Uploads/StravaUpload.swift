import Bytes
import HTTPClient

/// Uploads to Strava.
///
/// Requests and answers follow developers.strava.com/docs (uploads, authentication, rate-limits): a multipart upload of
/// a FIT file is answered with 201 and an id, whose state is asked for until it has an activity or an error. A known
/// file is the error "duplicate of ...". Missing rights are answered with 401.
struct StravaUpload: DestinationAPI {
    let address: String

    func request(for session: UploadableSession, with credentials: UploadCredentials) -> HTTPRequest? {
        guard case .tokens(let tokens) = credentials else { return nil }
        return HTTPRequest(
            .post, "\(address)/api/v3/uploads", headers: Self.headers(tokens),
            body: .multipart(
                MultipartBody([
                    .init("data_type", text: "fit"), .init("name", text: session.title),
                    .init("trainer", text: "1"), .init("external_id", text: session.fileName),
                    .init(
                        "file", fileName: session.fileName, contentType: "application/octet-stream",
                        bytes: session.fit),
                ])))
    }

    func statusRequest(_ id: String, with credentials: UploadCredentials) -> HTTPRequest? {
        guard case .tokens(let tokens) = credentials else { return nil }
        return HTTPRequest(
            .get, "\(address)/api/v3/uploads/\(HTTPSyntax.percentEncoded(id))", headers: Self.headers(tokens))
    }

    func accountRequest(with credentials: UploadCredentials) -> HTTPRequest? {
        guard case .tokens(let tokens) = credentials else { return nil }
        return HTTPRequest(.get, "\(address)/api/v3/athlete", headers: Self.headers(tokens))
    }

    private static func headers(_ tokens: OAuthTokens) -> [HTTPField] {
        [HTTPField("Authorization", "Bearer \(tokens.access)")]
    }

    func accountLabel(_ answer: JSONObject) -> String? {
        let names = ["firstname", "lastname"].compactMap { answer.text($0) }.filter { !$0.isEmpty }
        return names.isEmpty ? answer.id("id") : names.joined(separator: " ")
    }

    func outcome(of answer: HTTPAnswer) -> UploadOutcome {
        let json = answer.json
        switch answer.status {
        case 200, 201:
            if let activity = json.id("activity_id") { return .uploaded(id: activity) }
            if let error = json.text("error") { return Self.failed(error) }
            guard let id = json.text("id_str") ?? json.id("id") else {
                return .later("the service answered without an id")
            }
            return .processing(id: id)
        case 401:
            return .unauthorized(Self.lacksRights(json) ? "it permits no uploads" : "the access was revoked")
        case 400, 403, 404, 413, 415, 422:
            return Self.failed(json.text("error") ?? json.text("message") ?? "status \(answer.status)")
        default: return .later(after: answer)
        }
    }

    /// `X.fit duplicate of <a href='/activities/12699650316' target='_blank'>Morning Row</a>`, formerly
    /// `X.fit duplicate of activity 21234316`
    private static func failed(_ error: String) -> UploadOutcome {
        let bytes = Array(error.utf8)
        guard let known = bytes.range(of: "duplicate of") else { return .refused(plain(error)) }
        let name = Array(bytes[known.upperBound...])
        for mark in ["/activities/", "activity "] {
            guard let found = name.range(of: mark) else { continue }
            let digits = name[found.upperBound...].prefix {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
            if !digits.isEmpty { return .uploaded(id: String(decoding: digits, as: UTF8.self)) }
        }
        return .uploaded(id: nil)
    }

    /// A text of the service without HTML.
    private static func plain(_ text: String) -> String {
        var (output, isInTag) = ("", false)
        for character in text {
            if character == "<" { isInTag = true }
            if !isInTag { output.append(character) }
            if character == ">" { isInTag = false }
        }
        return output
    }

    private static func lacksRights(_ json: JSONObject) -> Bool {
        guard case .list(let errors)? = json["errors"] else { return false }
        return errors.contains { error in
            if case .object(let error) = error {
                error.text("field") == "activity:write_permission"
            } else {
                false
            }
        }
    }
}
