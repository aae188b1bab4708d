import Bytes
import HTTPClient

/// Uploads to intervals.icu.
///
/// Requests and answers follow the service's OpenAPI description and its forum ("intervals.icu API integration
/// cookbook"): a multipart upload of a FIT file, answered with 201 if it is new and with 200 if the file is known, by a
/// hash of its bytes. Other statuses are not described; 401 and 403 were both seen for a wrong key.
struct IntervalsICUUpload: DestinationAPI {
    let address: String

    func request(for session: UploadableSession, with credentials: UploadCredentials) -> HTTPRequest? {
        let query = [("name", session.title), ("external_id", session.id)]
            .map { "\($0.0)=\(HTTPSyntax.percentEncoded($0.1))" }.joined(separator: "&")
        return Self.authorized(
            HTTPRequest(
                .post, "\(address)/api/v1/athlete/0/activities?\(query)",
                body: .multipart(
                    MultipartBody([
                        .init(
                            "file", fileName: session.fileName, contentType: "application/octet-stream",
                            bytes: session.fit)
                    ]))), credentials)
    }

    func accountRequest(with credentials: UploadCredentials) -> HTTPRequest? {
        Self.authorized(HTTPRequest(.get, "\(address)/api/v1/athlete/0"), credentials)
    }

    func accountLabel(_ answer: JSONObject) -> String? { answer.text("name") ?? answer.id("id") }

    /// Adds the credentials to a request; nil if they are of another kind.
    static func authorized(_ request: HTTPRequest, _ credentials: UploadCredentials) -> HTTPRequest? {
        var request = request
        switch credentials {
        case .key(let key): request.credentials = .init(user: "API_KEY", password: key)
        case .tokens(let tokens):
            request.headers.append(HTTPField("Authorization", "Bearer \(tokens.access)"))
        case .webhook: return nil
        }
        return request
    }

    func outcome(of answer: HTTPAnswer) -> UploadOutcome {
        let json = answer.json
        switch answer.status {
        case 200, 201:
            let first: JSONObject? =
                if case .list(let all)? = json["activities"], case .object(let object)? = all.first {
                    object
                } else { nil }
            return .uploaded(id: json.id("id") ?? first?.id("id"))
        case 401, 403: return .unauthorized(json.text("error") ?? "the key is not accepted")
        case 400, 404, 413, 415, 422:
            return .refused(json.text("error") ?? "status \(answer.status)")
        default: return .later(after: answer)
        }
    }
}
