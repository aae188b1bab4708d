import Foundation
import HostRuntime
import TestSupport
import Testing

@testable import HTTPClient

/// A Python program of `Interop` that serves a port of the loopback.
struct WebServerProcess {
    let port: UInt16
    private let process: ChildProcess

    /// A web server, with TLS if it has a certificate.
    static func web(
        _ identity: CertificateAuthority.Identity? = nil, _ options: [String] = []
    ) async throws -> WebServerProcess {
        let files = identity.map { [$0.certificate, $0.key] } ?? []
        return try await WebServerProcess("web_server.py", files + options)
    }

    /// A proxy that leads every host to `port`, or answers with a status.
    static func proxy(to port: UInt16, status: Int? = nil) async throws -> WebServerProcess {
        try await WebServerProcess("connect_proxy.py", [String(port)] + (status.map { [String($0)] } ?? []))
    }

    private init(_ program: String, _ arguments: [String]) async throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Interop/\(program)").path
        let process = try ChildProcess("python3", ["-W", "ignore", path] + arguments)
        try #require(await eventually { !process.lines.isEmpty || !process.isRunning })
        self.process = process
        port = try #require(process.lines.first.flatMap { UInt16($0) }, "\(process.text)")
    }

    /// A line for each event.
    var events: [String] { Array(process.lines.dropFirst()) }

    /// An address of the web server, by default without TLS.
    func address(_ path: String, scheme: String = "http", host: String = "127.0.0.1") -> String {
        "\(scheme)://\(host):\(port)\(path)"
    }
}

/// A request as the web server has received it.
struct EchoedRequest: Decodable {
    struct Part: Decodable, Equatable {
        let name: String
        let file: String?
        let type: String
        let body: Data
    }

    let method: String
    let path: String
    let headers: [[String]]
    let body: Data
    let parts: [Part]

    init(_ answer: HTTPAnswer) throws {
        let decoder = JSONDecoder()
        decoder.dataDecodingStrategy = .base64
        self = try decoder.decode(EchoedRequest.self, from: Data(answer.body))
    }

    /// All values of a header, by its name in lower case.
    func header(_ name: String) -> [String] { headers.filter { $0[0] == name }.map { $0[1] } }
}

extension HTTPClient {
    /// A client for servers of this machine, which ignores the environment of the tests.
    static func local(
        environment: [String: String] = [:], _ change: (inout Settings) -> Void = { _ in }
    ) -> HTTPClient {
        var settings = Settings()
        settings.permitsPlainHTTP = true
        settings.permitsPrivateAddresses = true
        // For machines that have much else to do.
        settings.connectTimeout = .seconds(300)
        settings.totalTimeout = .seconds(300)
        change(&settings)
        return HTTPClient(settings, on: SerialQueueExecutor(label: "http")) { environment[$0] }
    }

    /// The failure of a request; nil if there was an answer.
    func failure(_ request: HTTPRequest) async -> HTTPFailure? {
        do throws(HTTPFailure) {
            _ = try await perform(request)
            return nil
        } catch {
            return error
        }
    }

    func failure(_ address: String) async -> HTTPFailure? { await failure(HTTPRequest(.get, address)) }
}
