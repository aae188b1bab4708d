/// Why a request has no answer.
///
/// Its texts contain the name of the server, but no path, query, header or body, since these may contain
/// passwords and tokens.
package struct HTTPFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// What a caller needs to decide about another attempt.
    package enum Kind: Equatable, Sendable {
        /// The address, a header or a setting is invalid. Another attempt fails too.
        case invalidRequest
        /// The address is permitted neither directly nor after name resolution, or is not encrypted.
        case addressNotAllowed
        case nameNotFound
        /// No connection: refused, no route, or no TLS.
        case unreachable
        /// The server's certificate is not valid for this name, by an authority that is trusted here.
        case certificateRefused
        /// Not connected or not completely answered in time.
        case timedOut
        /// The connection ended before the end of the answer.
        case connectionLost
        /// The answer is larger than the settings permit.
        case answerTooLarge
        /// The client was stopped, or the task was cancelled.
        case stopped
        case other
    }

    package let kind: Kind
    /// The server, or the proxy that failed. Empty if the address is invalid.
    package let host: String
    /// What happened.
    package let cause: String
    /// What a person can do; empty if another attempt may succeed without it.
    package let remedy: String
    /// Whether the server may have received the request. False if it certainly did not, so that another
    /// attempt causes no duplicate.
    package let mayHaveReachedServer: Bool

    package init(
        _ kind: Kind, host: String = "", cause: String, remedy: String = "",
        mayHaveReachedServer: Bool = false
    ) {
        self.kind = kind
        self.host = host
        self.cause = cause
        self.remedy = remedy
        self.mayHaveReachedServer = mayHaveReachedServer
    }

    package var description: String {
        (host.isEmpty ? "" : "\(host): ") + cause
            + (mayHaveReachedServer ? "; the server may have received the request" : "")
            + (remedy.isEmpty ? "" : "; \(remedy)")
    }
}
