import Bytes
import CCrypto
import Contract
import HTTPClient
import Timeline
import TrainingFiles

/// Sends sessions to a web address that an athlete chose, signed as Standard Webhooks 1.0.0 describes
/// (github.com/standard-webhooks/standard-webhooks).
///
/// The receiver recognizes a repetition by `webhook-id`, which is the same for each attempt.
struct WebhookUpload: DestinationAPI {
    /// Unix milliseconds: the time of the signature.
    let now: Int64

    func request(for session: UploadableSession, with credentials: UploadCredentials) -> HTTPRequest? {
        signed(Self.body(session), id: session.id, credentials)
    }

    /// A receiver has no account: it does not know the secret before it is connected.
    func accountRequest(with credentials: UploadCredentials) -> HTTPRequest? { nil }

    func accountLabel(_ answer: JSONObject) -> String? { nil }

    func outcome(of answer: HTTPAnswer) -> UploadOutcome {
        switch answer.status {
        case 200..<300: .uploaded(id: nil)
        // The receiver does not want any more.
        case 410: .unauthorized("the receiver answered that it is gone")
        default: .later(after: answer)
        }
    }

    private func signed(_ body: [UInt8], id: String, _ credentials: UploadCredentials) -> HTTPRequest? {
        guard case .webhook(let address, let secret) = credentials else { return nil }
        let time = "\(now / 1000)"
        return HTTPRequest(
            .post, address,
            headers: [
                HTTPField("webhook-id", id), HTTPField("webhook-timestamp", time),
                HTTPField("webhook-signature", Self.signature(of: body, id: id, time: time, secret)),
            ], body: .bytes(body, contentType: "application/json"))
    }

    /// `v1,` and the HMAC-SHA256 of `id.time.body` in base 64.
    static func signature(of body: [UInt8], id: String, time: String, _ secret: [UInt8]) -> String {
        let signed = Array("\(id).\(time).".utf8) + body
        var (digest, count) = ([UInt8](repeating: 0, count: 32), UInt32(0))
        HMAC(EVP_sha256(), secret, Int32(secret.count), signed, signed.count, &digest, &count)
        return "v1," + Base64.encoded(digest)
    }

    /// The secret as the receiver's administrator enters it.
    static func printed(_ secret: [UInt8]) -> String { "whsec_" + Base64.encoded(secret) }

    /// `{"type":"session","timestamp":...,"data":{"summary":{...},"splits":[...]}}`: the summary and the splits as the
    /// contract publishes them.
    private static func body(_ upload: UploadableSession) -> [UInt8] {
        JSONWriter.object { json in
            json.field("type", "session")
            json.field("timestamp", CivilTime(unixMilliseconds: upload.endedAt).rfc3339)
            json.object("data") { json in
                json.field("title", upload.title)
                json.key("summary")
                json.value(json: upload.summaryRecord)
                json.key("splits")
                json.beginArray()
                for split in upload.splitRecords { json.value(json: split) }
                json.endArray()
            }
        }
    }
}
