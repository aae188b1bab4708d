import HTTPClient
import Testing

@testable import Uploads

/// The signature of webhooks.
@Suite struct WebhookTests {
    /// The values were computed with Python's hmac module.
    @Test func signsAsStandardWebhooks() {
        let secret = Array("a-secret-of-32-bytes-for-the-test".utf8)
        let signature = WebhookUpload.signature(
            of: Array(#"{"type":"session"}"#.utf8), id: "rowgate-boathouse-1", time: "1674087231", secret)
        #expect(signature == "v1,vKSNBu1vfGVln2YdlAyj/JXTJ67fEhJflaat+EPPAUg=")
        #expect(WebhookUpload.printed([1, 2, 3]) == "whsec_AQID")
    }
}
