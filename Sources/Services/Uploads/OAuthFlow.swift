import Bytes
import HTTPClient

/// The authorization of this logbook by an athlete at one service (RFC 6749, authorization code). It has no clock and
/// sends nothing.
///
/// The club registers the logbook at the service once, and gets the client id and secret.
package struct OAuthFlow: Equatable, Sendable {
    package let destination: UploadDestination
    private let clientID: String
    private let clientSecret: String
    /// The address of the service, without a slash at the end.
    private let service: String
    /// The page to which the service sends the athlete's browser back.
    private let returnAddress: String

    /// - Parameter destination: not a webhook.
    package init(
        for destination: UploadDestination, clientID: String, clientSecret: String, service: String,
        returnAddress: String
    ) {
        precondition(destination != .webhook, "a webhook has no authorization")
        (self.destination, self.service, self.returnAddress) = (destination, service, returnAddress)
        (self.clientID, self.clientSecret) = (clientID, clientSecret)
    }

    /// The rights that uploads need, and those for reading planned workouts.
    private var scope: String {
        switch destination {
        case .concept2: "user:read,results:write"
        case .intervalsICU: "ACTIVITY:WRITE,CALENDAR:READ"
        case .strava, .webhook: "read,activity:write"
        }
    }

    private var tokenAddress: String {
        switch destination {
        case .concept2: "\(service)/oauth/access_token"
        case .intervalsICU: "\(service)/api/oauth/token"
        case .strava, .webhook: "\(service)/oauth/token"
        }
    }

    /// Returns the address at which the athlete agrees.
    ///
    /// - Parameter state: random; the service returns it with the code.
    package func authorizationAddress(state: String) -> String {
        let query = [
            ("client_id", clientID), ("redirect_uri", returnAddress), ("response_type", "code"),
            ("scope", scope),
            ("state", state),
        ].map { "\($0.0)=\(HTTPSyntax.percentEncoded($0.1))" }.joined(separator: "&")
        return "\(service)/oauth/authorize?\(query)"
    }

    /// Returns the request for the first tokens.
    ///
    /// - Parameter code: the code that the athlete's browser brought back.
    package func tokenRequest(code: String) -> HTTPRequest {
        tokenRequest([
            HTTPField("grant_type", "authorization_code"), HTTPField("code", code),
            HTTPField("redirect_uri", returnAddress), HTTPField("scope", scope),
        ])
    }

    /// Returns the request for new tokens. The service may make the former ones invalid with its answer.
    package func refreshRequest(_ refresh: String) -> HTTPRequest {
        tokenRequest([
            HTTPField("grant_type", "refresh_token"), HTTPField("refresh_token", refresh),
            HTTPField("scope", scope),
        ])
    }

    private func tokenRequest(_ fields: [HTTPField]) -> HTTPRequest {
        HTTPRequest(
            .post, tokenAddress,
            body: .form(
                [HTTPField("client_id", clientID), HTTPField("client_secret", clientSecret)] + fields))
    }

    /// What an answer to a request for tokens means.
    package enum TokenOutcome: Equatable, Sendable {
        case tokens(OAuthTokens)
        /// The service refuses the code or the refresh token: the athlete has to agree again.
        case refused(String)
        case later(String, delay: Int64?)
    }

    /// - Parameters:
    ///   - former: the refresh token that stays valid if the answer has no other one.
    ///   - now: Unix milliseconds.
    package func tokens(
        from answer: HTTPAnswer, keeping former: String? = nil, at now: Int64
    ) -> TokenOutcome {
        let json = answer.json
        guard answer.isSuccess else {
            if case .later(let reason, let delay) = UploadOutcome.later(after: answer),
                answer.status == 429 || answer.status >= 500
            {
                return .later(reason, delay: delay)
            }
            let reason = json.text("error_description") ?? json.text("message") ?? json.text("error")
            return .refused(reason ?? "status \(answer.status)")
        }
        guard let access = json.text("access_token"), !access.isEmpty else {
            return .later("the service answered without a token", delay: nil)
        }
        let lifetime = json.number("expires_in").map { now + Int64(clamping: $0) * 1000 }
        return .tokens(
            OAuthTokens(access: access, refresh: json.text("refresh_token") ?? former, expiresAt: lifetime))
    }
}
