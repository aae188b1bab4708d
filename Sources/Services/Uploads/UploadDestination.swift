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

/// When an upload that failed is attempted again.
package enum UploadRetry {
    /// Seconds after the first, second, ... attempt; later ones follow the last.
    private static let delays: [Int64] = [60, 300, 1800, 7200, 18_000, 36_000, 43_200]
    /// The number of attempts in a week, after which a person has to decide.
    package static let maximumAttempts = 18

    /// Returns the seconds until the next attempt; nil if there is none.
    ///
    /// - Parameters:
    ///   - attempts: the number of failed attempts, at least 1.
    ///   - asked: what the service asks for: seconds.
    ///   - random: spreads the attempts of many uploads over a tenth of the time.
    package static func delay(after attempts: Int, asked: Int64?, random: UInt64) -> Int64? {
        guard attempts < maximumAttempts else { return nil }
        let delay = delays[min(max(attempts, 1), delays.count) - 1]
        let spread = Int64(random % UInt64(delay / 10 + 1))
        // Never longer than a day: a service can send any number.
        return max(delay + spread, min(asked ?? 0, 86_400))
    }
}
