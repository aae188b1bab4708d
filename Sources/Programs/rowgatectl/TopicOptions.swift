import ArgumentParser
import Contract

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
