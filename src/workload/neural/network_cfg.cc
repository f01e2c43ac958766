#include "core/base/text.hh"
#include "core/kernel/registry.hh"
#include "workload/neural/network.hh"

#include <algorithm>
#include <array>
#include <charconv>

namespace memsim::workload {

namespace {

using Kind = Layer::Kind;
using Activation = Layer::Activation;

std::string_view trim(std::string_view s) {
    while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
    while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
    return s;
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        words.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

/// A section type of Darknet's .cfg: the keys that shape a layer, those that are ignored because
/// they affect only training or the host's part, and those accepted with one value only.
struct SectionType {
    std::string_view name;
    Kind kind = Kind::identity;
    std::string_view keys {}, ignored {}, only {};
};

constexpr std::string_view ignored_everywhere =
    "truth onlyforward stopbackward dontsave learning_rate smooth";
constexpr std::string_view detection_ignored =
    "absolute anchors background beta_nms bias_match class_scale classes classfix cls_normalizer "
    "coord_scale coords counters_per_class forced ignore_thresh iou_loss iou_normalizer iou_thresh "
    "jitter label_smooth_eps log map mask mask_scale max max_delta new_coords nms_kind "
    "noobject_scale num obj_normalizer object_scale objectness_smooth random reorg resize rescore "
    "scale_x_y side softmax sqrt thresh tree truth_thresh";
constexpr std::string_view convolution_only = "xnor:0 binary:0 flipped:0 dot:0 dilation:1";
constexpr std::string_view shortcut_only = "alpha:1 beta:1";

constexpr SectionType types[] {
    {"net", Kind::identity, "channels width height",
     "B1 B2 adam angle aspect batch burn_in center cutmix decay eps exposure gamma hue inputs "
     "label_smooth_eps letter_box max_batches max_chart_loss max_crop max_ratio min_crop min_ratio "
     "mixup momentum mosaic notruth optimized_memory policy power random saturation scale scales "
     "seen sgdr_cycle sgdr_mult step steps subdivisions time_steps workspace_size_limit_MB",
     "clip:0"},
    {"convolutional", Kind::convolutional,
     "filters size stride pad padding groups batch_normalize activation", "", convolution_only},
    {"connected", Kind::connected, "output batch_normalize activation"},
    {"local", Kind::local, "filters size stride pad activation"},
    {"maxpool", Kind::maxpool, "size stride padding"},
    {"avgpool", Kind::avgpool},
    {"shortcut", Kind::shortcut, "from activation", "", shortcut_only},
    {"route", Kind::route, "layers", "", "groups:1 group_id:0"},
    {"upsample", Kind::upsample, "stride", "", "scale:1"},
    {"reorg", Kind::reorg, "stride extra", "", "reverse:0 flatten:0"},
    {"softmax", Kind::softmax, "groups temperature", "noloss", "spatial:0 tree:"},
    {"crop", Kind::crop, "crop_height crop_width", "flip angle saturation exposure shift",
     "noadjust:0"},
    {"dropout", Kind::identity, "", "probability dropblock dropblock_size_abs"},
    {"cost", Kind::identity, "", "type scale ratio noobj thresh"},
    {"detection", Kind::identity, "", detection_ignored},
    {"region", Kind::identity, "", detection_ignored},
    {"yolo", Kind::identity, "", detection_ignored},
};
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> short_names {
    {{"network", "net"},
     {"conv", "convolutional"},
     {"conn", "connected"},
     {"max", "maxpool"},
     {"avg", "avgpool"},
     {"soft", "softmax"}}};
constexpr std::array<std::string_view, 5> activations {"linear", "leaky", "relu", "ramp",
                                                       "logistic"};
/// Sections of Darknet that are not modelled.
constexpr std::array<std::string_view, 4> recurrent {"rnn", "gru", "lstm", "crnn"};

struct Section {
    const SectionType* type = nullptr;
    Layer layer;
    bool padded = false, sized = false, pool_padded = false;
    std::uint32_t crop_w = 1, crop_h = 1;
    bool net() const { return type == types; }
};

/// Reads a .cfg section by section.
class CfgReader {
  public:
    CfgReader(const std::string& path, std::uint32_t side) : file_(path) {
        network_.w = network_.h = side;
    }
    Network read() {
        for (; file_.next_line(line_);) {
            const std::string_view text = trim(line_);
            if (text.empty() || text[0] == '#' || text[0] == ';') continue;
            if (text[0] == '[')
                begin(text);
            else if (now_.type == nullptr)
                file_.refuse_column(1, "'[net]' was expected");
            else
                take();
        }
        finish();
        if (network_.layers.empty()) file_.refuse("has no layers");
        return std::move(network_);
    }

  private:
    void begin(std::string_view text) {
        finish();
        const bool first = now_.type == nullptr;
        now_ = {};
        now_.type = &type_of(text);
        if (first != now_.net())
            file_.refuse_column(1, first ? "the first section must be [net]"
                                         : "a second section [net], where one is right");
        Layer& l = now_.layer;
        l.kind = now_.type->kind;
        if (l.kind == Kind::upsample) l.stride = 2;
        if (l.weighted()) l.activation = Activation::logistic; // Darknet's default
    }
    const SectionType& type_of(std::string_view text) const {
        std::string name(text.substr(1, text.find(']') - 1));
        for (const auto& [given, full] : short_names)
            if (name == given) name = full;
        std::vector<std::string> known;
        for (const SectionType& type : types) {
            if (type.name == name) return type;
            known.emplace_back(type.name);
        }
        for (const std::string_view unmodelled : recurrent)
            if (name == unmodelled)
                file_.refuse_column(1, "a layer '[" + name +
                                           "]': recurrent layers are not modelled, only networks "
                                           "that map one image to its result");
        std::string all;
        for (const std::string& k : known) all += (all.empty() ? "" : ", ") + k;
        file_.refuse_column(1, "a layer '" + std::string(text.substr(0, 40)) + "'" +
                                   nearest(name, known) + ", which is none of " + all);
    }

    /// Ends the section: its layer joins the network.
    void finish() {
        if (now_.type == nullptr || now_.net()) return;
        Layer& l = now_.layer;
        if (now_.padded) l.pad = l.kind == Kind::local ? 1 : l.size / 2;
        if (l.kind == Kind::maxpool) {
            if (!now_.sized) l.size = l.stride;
            if (!now_.pool_padded) l.pad = l.size - 1;
        }
        if (l.kind == Kind::crop) crop(l);
        const std::string wrong = network_.add(l);
        if (!wrong.empty()) file_.refuse_line("the layer before this line is wrong: " + wrong);
    }
    /// The file states the crop for its own image size; the image of `side` pixels is cropped in
    /// proportion.
    void crop(Layer& l) const {
        if (now_.crop_w != now_.crop_h || width_ != height_ || width_ == 0)
            file_.refuse_line("the layer before this line is wrong: a crop of " +
                              std::to_string(now_.crop_w) + " x " + std::to_string(now_.crop_h) +
                              " out of " + std::to_string(width_) + " x " +
                              std::to_string(height_) + " pixels, where squares are right");
        const std::uint64_t size = (std::uint64_t {network_.w} * now_.crop_w + width_ / 2) / width_;
        l.size = static_cast<std::uint32_t>(std::max<std::uint64_t>(size, 1));
    }

    [[noreturn]] void refuse_value(const std::string& right) const {
        file_.refuse_column(static_cast<std::size_t>(value_.data() - line_.data()) + 1,
                            "'" + std::string(value_.substr(0, 40)) + "', where " + right +
                                " is right");
    }
    /// An integer in a list or alone.
    int whole(std::string_view text, int least) {
        int n = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
        value_ = text;
        if (error != std::errc {} || end != text.data() + text.size() || n < least || n > 65536)
            refuse_value("a whole number from " + std::to_string(least) + " to 65536");
        return n;
    }
    std::uint32_t number(int least) { return static_cast<std::uint32_t>(whole(value_, least)); }
    float real() const {
        float x = 0;
        const auto [end, error] = std::from_chars(value_.data(), value_.data() + value_.size(), x);
        if (error != std::errc {} || end != value_.data() + value_.size() || !(x > 0) || x > 1e6f)
            refuse_value("a number above 0 and at most 1000000");
        return x;
    }

    void take() {
        const std::size_t equals = line_.find('=');
        if (equals == std::string_view::npos) file_.refuse_column(1, "'key=value' was expected");
        const std::string key(trim(line_.substr(0, equals)));
        value_ = trim(line_.substr(equals + 1));
        const SectionType& type = *now_.type;
        const auto has = [&](std::string_view keys) {
            const auto all = words_of(keys);
            return std::find(all.begin(), all.end(), key) != all.end();
        };
        if (has(type.keys)) return shape(key);
        if (has(type.ignored) || (!now_.net() && has(ignored_everywhere))) return;
        if (now_.net() && key == "learning_rate") return;
        std::vector<std::string> known = words_of(type.keys);
        for (const std::string& word : words_of(type.only)) {
            const std::size_t colon = word.find(':');
            known.push_back(word.substr(0, colon));
            if (known.back() != key) continue;
            if (value_ == word.substr(colon + 1)) return;
            file_.refuse_column(1, key + "=" + std::string(value_.substr(0, 40)) +
                                       " is not modelled: leave it out");
        }
        for (const std::string& word : words_of(type.ignored)) known.push_back(word);
        file_.refuse_column(1, "'" + key.substr(0, 40) + "' is no key of [" +
                                   std::string(type.name) + "]" + nearest(key, known));
    }

    void shape(std::string_view key) {
        Layer& l = now_.layer;
        if (key == "channels") network_.c = number(1);
        if (key == "width") width_ = number(1);
        if (key == "height") height_ = number(1);
        if (key == "crop_width") now_.crop_w = number(1);
        if (key == "crop_height") now_.crop_h = number(1);
        if (key == "filters" || key == "output") l.filters = number(1);
        if (key == "size") l.size = number(1), now_.sized = true;
        if (key == "stride") l.stride = number(1);
        if (key == "pad") now_.padded = number(0) != 0;
        if (key == "padding") l.pad = number(0), now_.pool_padded = true;
        if (key == "groups") l.groups = number(1);
        if (key == "batch_normalize") l.normalized = number(0) != 0;
        if (key == "temperature") l.temperature = real();
        if (key == "extra") l.kind = Kind::extra, l.filters = number(1);
        if (key == "activation") {
            const auto at = std::find(activations.begin(), activations.end(), value_);
            if (at == activations.end())
                file_.refuse_column(static_cast<std::size_t>(value_.data() - line_.data()) + 1,
                                    "activation '" + std::string(value_.substr(0, 40)) +
                                        "', where linear, leaky, relu, ramp or logistic is right");
            l.activation = static_cast<Activation>(at - activations.begin());
        }
        if (key == "from" || key == "layers")
            for (const std::string_view one : elements_of(value_))
                l.from.push_back(whole(one, -65536));
    }

    InputFile file_;
    Network network_;
    Section now_;
    std::string_view line_, value_;
    std::uint32_t width_ = 0, height_ = 0; ///< stated by [net]
};

} // namespace

Network read_cfg(const std::string& path, std::uint32_t side) {
    return CfgReader(path, side).read();
}

} // namespace memsim::workload
