import HTTPClient
import Testing

@testable import Uploads

/// The authorization of the logbook at a service.
@Suite struct OAuthFlowTests {
    private func flow(_ destination: UploadDestination) -> OAuthFlow {
        OAuthFlow(
            for: destination, clientID: "club 7", clientSecret: "s&cret",
            service: UploadServices.addresses[destination]!, returnAddress: "https://club.example/uploads")
    }

    @Test(
        arguments: [
            (.concept2, "https://log.concept2.com", "user%3Aread%2Cresults%3Awrite", "/oauth/access_token"),
            (.strava, "https://www.strava.com", "read%2Cactivity%3Awrite", "/oauth/token"),
            (
                .intervalsICU, "https://intervals.icu", "ACTIVITY%3AWRITE%2CCALENDAR%3AREAD",
                "/api/oauth/token"
            ),
        ] as [(UploadDestination, String, String, String)])
    func asksForTheRightsOfUploads(
        _ destination: UploadDestination, _ service: String, _ scope: String, _ token: String
    ) throws {
        let flow = flow(destination)
        #expect(
            flow.authorizationAddress(state: "st")
                == "\(service)/oauth/authorize?client_id=club%207"
                + "&redirect_uri=https%3A%2F%2Fclub.example%2Fuploads&response_type=code"
                + "&scope=\(scope)&state=st")
        let request = flow.tokenRequest(code: "c0de")
        #expect(request.address == service + token && request.method == .post)
        guard case .form(let fields) = request.body else { throw CancellationError() }
        let values = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) })
        #expect(values["client_secret"] == "s&cret" && values["code"] == "c0de")
        #expect(values["grant_type"] == "authorization_code")
        guard case .form(let refresh) = flow.refreshRequest("r").body else { throw CancellationError() }
        #expect(refresh.contains(HTTPField("refresh_token", "r")))
        #expect(refresh.contains(HTTPField("grant_type", "refresh_token")))
    }

    private func outcome(_ status: Int, _ body: String, keeping former: String? = nil)
        -> OAuthFlow.TokenOutcome
    {
        flow(.strava).tokens(
            from: HTTPAnswer(status: status, body: Array(body.utf8)), keeping: former, at: 1000)
    }

    @Test func readsTokens() {
        #expect(
            outcome(200, #"{"access_token":"a","refresh_token":"r","expires_in":21600}"#)
                == .tokens(OAuthTokens(access: "a", refresh: "r", expiresAt: 21_601_000)))
        #expect(outcome(200, #"{"access_token":"a"}"#) == .tokens(OAuthTokens(access: "a")))
        #expect(
            outcome(200, #"{"access_token":"b"}"#, keeping: "r")
                == .tokens(OAuthTokens(access: "b", refresh: "r")))
        #expect(
            outcome(400, #"{"message":"The refresh token is invalid.","status_code":400}"#)
                == .refused("The refresh token is invalid."))
        #expect(
            outcome(401, #"{"error":"invalid_credentials","error_description":"They were incorrect."}"#)
                == .refused("They were incorrect."))
        #expect(outcome(503, "") == .later("the service answered with status 503", delay: nil))
        #expect(outcome(200, "<html>") == .later("the service answered without a token", delay: nil))
    }

    @Test func replacesTokensAMinuteBeforeTheirEnd() {
        let tokens = OAuthTokens(access: "a", expiresAt: 100_000)
        #expect(!tokens.isExpired(at: 39_999) && tokens.isExpired(at: 40_000))
        #expect(!OAuthTokens(access: "a").isExpired(at: .max))
    }

    @Test func offersOnlyWhatIsSetUp() {
        let none = UploadServices(enabled: [], flows: [])
        #expect(none.destinations == [])
        let free = UploadServices(enabled: [.intervalsICU, .webhook], flows: [])
        #expect(free.destinations == [.intervalsICU, .webhook])
        #expect(free.access(to: .intervalsICU) == .key && free.access(to: .webhook) == .address)
        let all = UploadServices(
            enabled: Set(UploadDestination.allCases), flows: [flow(.concept2), flow(.intervalsICU)])
        #expect(all.destinations == [.concept2, .intervalsICU, .webhook])
        #expect(all.access(to: .intervalsICU) == .authorization && all.access(to: .strava) == nil)
    }
}
