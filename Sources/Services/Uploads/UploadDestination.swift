/// A service that stores an athlete's sessions.
package enum UploadDestination: String, CaseIterable, Sendable {
    case concept2
    case intervalsICU = "intervals_icu"
    case strava
    /// Any program with a web address, which gets the session's summary and splits.
    case webhook

    /// The name for people.
    package var title: String {
        switch self {
        case .concept2: "Concept2 Logbook"
        case .intervalsICU: "intervals.icu"
        case .strava: "Strava"
        case .webhook: "webhook"
        }
    }
}

/// What an athlete's account at a service needs: kept secret, stored encrypted (`CredentialVault`).
package enum UploadCredentials: Equatable, Sendable {
    /// A key that the athlete copied from the service's page.
    case key(String)
    /// Tokens of an OAuth authorization.
    case tokens(OAuthTokens)
    /// The address of a webhook, and the key of its signatures.
    case webhook(address: String, secret: [UInt8])
}

/// The tokens of an OAuth authorization (RFC 6749, section 5.1).
package struct OAuthTokens: Equatable, Sendable {
    package var access: String
    /// Gets new tokens; nil if the service gives none.
    package var refresh: String?
    /// Unix milliseconds; nil if the service does not tell.
    package var expiresAt: Int64?

    package init(access: String, refresh: String? = nil, expiresAt: Int64? = nil) {
        (self.access, self.refresh, self.expiresAt) = (access, refresh, expiresAt)
    }

    /// Whether they must be replaced before a request.
    package func isExpired(at now: Int64) -> Bool { expiresAt.map { $0 - 60_000 <= now } ?? false }
}

/// What an answer of a service means for an upload.
package enum UploadOutcome: Equatable, Sendable {
    /// The service has the session, from this or an earlier attempt. `id` is the service's; nil if it does not tell.
    case uploaded(id: String?)
    /// The service works on it. `id` is for `UploadService.statusRequest`.
    case processing(id: String)
    /// The service refuses the session: another attempt fails too.
    case refused(String)
    /// The service does not accept the credentials.
    case unauthorized(String)
    /// Another attempt may succeed. `delay` is what the service asks for: seconds.
    case later(String, delay: Int64? = nil)
}
