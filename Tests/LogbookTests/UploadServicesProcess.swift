import Foundation
import HTTPClient
import HostRuntime
import TestSupport
import Testing

@testable import Logbook
@testable import Uploads

/// `Interop/upload_services.py`, which imitates the services as their documentation describes them.
final class UploadServicesProcess: Sendable {
    private let process: ChildProcess
    private let input: Pipe
    private let client: HTTPClient
    let port: UInt16

    init() async throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Interop/upload_services.py").path
        input = Pipe()
        let process = try ChildProcess(
            "python3", [path], environment: ["PYTHONPATH": PythonPackage.folder],
            input: input.fileHandleForReading)
        try #require(await eventually { !process.lines.isEmpty || !process.isRunning })
        self.process = process
        let words = process.lines.first?.split(separator: " ") ?? []
        port = try #require(words.last.flatMap { UInt16($0) }, "\(process.text)")
        client = HTTPClient(Self.settings, on: SerialQueueExecutor(label: "control"))
    }

    private static var settings: HTTPClient.Settings {
        var settings = HTTPClient.Settings()
        (settings.permitsPlainHTTP, settings.permitsPrivateAddresses, settings.proxy) = (true, true, "")
        // For machines that have much else to do.
        (settings.connectTimeout, settings.totalTimeout) = (.seconds(300), .seconds(300))
        return settings
    }

    /// What an upload service needs to use these services.
    func prepared() -> UploadSettings.Prepared {
        let flows = [UploadDestination.concept2, .strava].map { destination in
            OAuthFlow(
                for: destination, clientID: destination == .strava ? "12345" : "club", clientSecret: "s3cret",
                service: address(of: destination),
                returnAddress: "https://club.example/uploads")
        }
        let addresses = Dictionary(
            uniqueKeysWithValues: UploadDestination.allCases.map { ($0, address(of: $0)) })
        return UploadSettings.Prepared(
            vault: CredentialVault(keyText: "a-key-for-tests-with-32-characters")!,
            services: UploadServices(
                enabled: Set(UploadDestination.allCases), flows: flows, addresses: addresses),
            client: Self.settings)
    }

    func address(of destination: UploadDestination) -> String {
        let name = destination == .intervalsICU ? "intervals" : destination.rawValue
        return "http://127.0.0.1:\(port)/\(name)"
    }

    /// Follows the address of an authorization as a browser does; returns the query of the page that follows.
    func authorize(at address: String) async throws -> [String: String] {
        let answer = try await client.perform(HTTPRequest(.get, address))
        let location = try #require(answer.header("Location"), "\(answer.status) \(answer.text)")
        let items = try #require(URLComponents(string: location)?.queryItems)
        return Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.value ?? "") })
    }

    /// Calls the control interface.
    @discardableResult
    func control(_ name: String, _ fields: [String: Any] = [:]) async throws -> [String: Any] {
        let body = try JSONSerialization.data(withJSONObject: fields)
        let answer = try await client.perform(
            HTTPRequest(
                name == "state" ? .get : .post, "http://127.0.0.1:\(port)/control/\(name)",
                body: name == "state" ? .none : .bytes(Array(body), contentType: "application/json")))
        guard answer.isSuccess else { throw TestSupportError("\(name): \(answer.status) \(answer.text)") }
        let object = try? JSONSerialization.jsonObject(with: Data(answer.body))
        return object as? [String: Any] ?? [:]
    }

    /// The number of sessions that a service has.
    func stored(_ destination: UploadDestination) async throws -> Int {
        let name = destination == .intervalsICU ? "intervals" : destination.rawValue
        let found = try await control("state")[name] as? [String: [Any]]
        return found?.values.first?.count ?? -1
    }

    /// The requests below a path that the services have received: `POST 201`.
    func requests(below path: String) async throws -> [String] {
        let log = try await control("state")["requests"] as? [[String: Any]] ?? []
        return log.filter { ($0["path"] as? String ?? "").hasPrefix(path) }.map {
            "\($0["method"] ?? "") \($0["status"] ?? "")"
        }
    }
}
