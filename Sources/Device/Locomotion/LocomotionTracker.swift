#if !hasFeature(Embedded)
  /// A pipeline of its own isolation, with any number of bounded streams of samples.
  ///
  /// For apps that want `for await`. The pipeline itself stays a plain value: hand over one that
  /// was restored, and take ``pipeline`` to save it.
  ///
  /// ```swift
  /// let tracker = LocomotionTracker()
  /// let samples = await tracker.samples()
  /// for await sample in samples { show(sample) }
  /// ```
  public actor LocomotionTracker {
    /// The pipeline as it stands.
    public private(set) var pipeline: LocomotionPipeline
    /// Samples that a full stream lost, summed over all streams.
    public private(set) var droppedSamples = 0

    private var subscribers: [AsyncStream<LocomotionSample>.Continuation] = []
    private var output = LocomotionOutput()

    /// A tracker around `pipeline`.
    public init(pipeline: LocomotionPipeline = LocomotionPipeline()) {
      self.pipeline = pipeline
    }

    /// A new stream of the samples to come.
    ///
    /// Each subscriber has its own. A subscriber that falls behind by more than `limit` samples
    /// loses the oldest, which ``droppedSamples`` counts.
    ///
    /// - Precondition: `limit` is positive.
    public func samples(bufferingNewest limit: Int = 600) -> AsyncStream<LocomotionSample> {
      precondition(limit > 0, "expected a positive limit, got \(limit)")
      let (stream, continuation) = AsyncStream.makeStream(
        of: LocomotionSample.self, bufferingPolicy: .bufferingNewest(limit))
      subscribers.append(continuation)
      return stream
    }

    /// Takes in a batch, returns what it completed and hands its samples to all streams.
    @discardableResult
    public func ingest(_ batch: SensorBatch) -> LocomotionOutput {
      output.removeAll()
      pipeline.ingest(batch, into: &output)
      return publish()
    }

    /// Completes the last second and ends all streams.
    @discardableResult
    public func finish() -> LocomotionOutput {
      output.removeAll()
      pipeline.finish(into: &output)
      defer {
        for subscriber in subscribers { subscriber.finish() }
        subscribers.removeAll()
      }
      return publish()
    }

    private func publish() -> LocomotionOutput {
      for sample in output.samples {
        subscribers.removeAll { subscriber in
          switch subscriber.yield(sample) {
          case .terminated: return true
          case .dropped: droppedSamples += 1
          default: break
          }
          return false
        }
      }
      return output
    }
  }
#endif
