import ArgumentParser
import Bytes
import Contract
import Glibc
import MQTTClient

/// The broker of a command, and the credentials.
struct BrokerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The broker.", valueName: "name or address"))
    var host = "localhost"
    @Option(
        help: ArgumentHelp(
            "The broker's port (default: 1883, or 8883 with TLS).", valueName: "number"))
    var port: UInt16?
    @Option(help: ArgumentHelp("The broker's user.", valueName: "name")) var user: String?
    @Option(help: ArgumentHelp("Its first line is the password.", valueName: "path"))
    var passwordFile: String?
    @Flag(help: "Use TLS, with the system's authorities.") var tls = false
    @Option(help: ArgumentHelp("Use TLS with these authorities (PEM).", valueName: "path"))
    var caFile: String?

    func configuration() throws -> BrokerConfiguration {
        let usesTLS = tls || caFile != nil
        var configuration = BrokerConfiguration(
            host: host, port: port ?? (usesTLS ? 8883 : 1883),
            clientID: "rowgatectl-\(getpid())-\(UInt32.random(in: 0 ... .max))")
        configuration.username = user
        if let passwordFile { configuration.password = try firstLine(of: passwordFile) }
        if usesTLS { configuration.tls = .init(authorityFile: caFile) }
        return configuration
    }

    /// The failure with its remedy in options, where the daemon's log has keys of its configuration.
    static func text(of failure: BrokerFailure) -> String {
        let options = [
            "broker.host": "--host", "broker.port": "--port", "broker.username": "--user",
            "broker.password_file": "--password-file",
        ]
        let words = "\(failure)".split(separator: " ", omittingEmptySubsequences: false)
        return words.map { word in
            let isList = word.hasSuffix(",")
            let option = options[String(isList ? word.dropLast() : word)]
            return option.map { isList ? $0 + "," : $0 } ?? String(word)
        }.joined(separator: " ")
    }

    private func firstLine(of path: String) throws -> String {
        var content: [UInt8] = []
        try InputFile(path: path).forEachChunk { content += $0 }
        return String(decoding: TextLines.first(of: content), as: UTF8.self)
    }
}

/// The option for the first levels of all topics.
struct TopicOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "First levels of all topics, as broker.topic_prefix sets them.", valueName: "prefix"))
    var topicPrefix = TopicPrefix.standard.text

    /// The validated prefix.
    var prefix: TopicPrefix { (try? TopicPrefix(topicPrefix)) ?? .standard }

    func validate() throws {
        do { _ = try TopicPrefix(topicPrefix) } catch {
            throw ValidationError("--topic-prefix \(error.reason); \(error.remedy)")
        }
    }
}
