import ControlSocket

extension StatusReply {
    /// What `rowgatectl status` exits with, so that a script need not read anything.
    package enum ExitStatus: Int32, Sendable {
        case ok = 0
        case degraded = 1
        case failed = 2
        /// The daemon did not answer.
        case notRunning = 3
    }

    /// Of the gateway, or of one erg if only that was requested.
    package func exitStatus(ofErg slug: String?) -> ExitStatus {
        if let slug {
            let isUp = ergs.contains { $0.slug == slug && $0.link.phase == .streaming }
            return isUp ? .ok : .degraded
        }
        return switch status {
        case .ok: .ok
        case .degraded: .degraded
        case .failed: .failed
        }
    }
}
