import Glibc
import HostRuntime
import Synchronization

/// Sends requests to web servers, one after the other on its own queue, and never follows a redirection.
///
/// Every request has its own connection, and is sent at most once. TLS is at least version 1.2, and
/// certificates are always checked. Cookies and netrc(5) are not used.
package final class HTTPClient: Sendable {
    /// What all requests of a client have in common.
    package struct Settings: Sendable {
        /// Time until a connection exists, with name resolution, proxy and TLS.
        package var connectTimeout = Duration.seconds(10)
        /// Time until the whole answer was received.
        package var totalTimeout = Duration.seconds(60)
        /// Bytes of the body of an answer.
        package var maximumAnswerSize = 1 << 20
        /// Certificates (PEM) of the authorities to trust; nil for those of the system.
        package var authorityFile: String?
        /// The proxy: `http://proxy:3128`, perhaps with user and password. Nil for `https_proxy`, `http_proxy` and
        /// `all_proxy` of the environment; empty for none. `no_proxy` of the environment applies to all.
        package var proxy: String?
        package var userAgent = "rowgate-logbook/\(Release.version)"
        /// Whether requests without encryption are permitted.
        package var permitsPlainHTTP = false
        /// Whether requests to this machine, its networks and all other addresses that are not of the public
        /// internet are permitted.
        ///
        /// If not, the address of each socket is checked before it connects, so that no name leads there. Behind
        /// a proxy, the proxy resolves names: then only numeric addresses and `localhost` are refused here,
        /// and the proxy must refuse the others.
        package var permitsPrivateAddresses = false

        package init() {}
    }

    private struct State {
        var isStopped = false
        /// All requests that have not ended.
        var requests: [ObjectIdentifier: TransferCancellation] = [:]
    }

    private let settings: Settings
    private let executor: SerialQueueExecutor
    private let environment: @Sendable (String) -> String?
    private let state = Mutex(State())

    /// - Parameter executor: the queue, on which nothing else runs: a request blocks it until its end.
    package convenience init(_ settings: Settings = Settings(), on executor: SerialQueueExecutor) {
        self.init(settings, on: executor) { name in getenv(name).map { String(cString: $0) } }
    }

    /// - Parameter environment: returns a variable for the proxy.
    init(
        _ settings: Settings, on executor: SerialQueueExecutor,
        environment: @escaping @Sendable (String) -> String?
    ) {
        self.settings = settings
        self.executor = executor
        self.environment = environment
    }

    /// Sends a request after the earlier ones, and returns the answer, whatever its status.
    ///
    /// If the task is cancelled, a running request ends at once and a waiting one when it is its turn.
    package func perform(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPAnswer {
        let cancellation = TransferCancellation()
        register(cancellation)
        defer { state.withLock { _ = $0.requests.removeValue(forKey: ObjectIdentifier(cancellation)) } }
        let result: Result<HTTPAnswer, HTTPFailure> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                executor.async { [settings, environment] in
                    let result = Result { () throws(HTTPFailure) in
                        let transfer = try HTTPTransfer(request, settings, environment: environment)
                        return try transfer.perform(cancellation)
                    }
                    continuation.resume(returning: result)
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        return try result.get()
    }

    /// Ends all requests with `stopped`, and refuses later ones.
    package func stop() {
        let requests = state.withLock { state in
            state.isStopped = true
            return Array(state.requests.values)
        }
        for request in requests { request.cancel() }
    }

    private func register(_ cancellation: TransferCancellation) {
        let isStopped = state.withLock { state in
            state.requests[ObjectIdentifier(cancellation)] = cancellation
            return state.isStopped
        }
        if isStopped { cancellation.cancel() }
    }
}
